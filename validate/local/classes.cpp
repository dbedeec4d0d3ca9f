#include "validate/local/classes.hpp"

#include <algorithm>

#include "kernels/trainer/operator_names.hpp"

namespace shardsim::validate::local {
namespace {

constexpr std::array<std::string_view, 5> kCommunication{"all_reduce", "reduce_scatter", "all_gather", "all_to_all",
                                                         "send_recv"};

}  // namespace

Class class_of(std::string_view kind, std::string_view pass) {
  if (kind == "gemm") return Class::matrix_products;
  if (kind == "batched_gemm" || kind == "attention") return Class::attention;
  if (std::find(kCommunication.begin(), kCommunication.end(), kind) != kCommunication.end()) {
    return Class::communication;
  }
  return pass == "step" ? Class::optimizer : Class::memory_bound;
}

Class class_of(const model::Operator& op) { return class_of(kernels::name_of(op.kind), kernels::name_of(op.pass)); }

double compute(const ClassTimes& times) {
  double sum = 0.0;
  for (std::size_t i = 0; i < index_of(Class::communication); ++i) sum += times[i];
  return sum;
}

}  // namespace shardsim::validate::local
