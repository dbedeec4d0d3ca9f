#include "kernels/communicator/mpi_reduction.hpp"

#include <algorithm>
#include <cstdint>

#include "kernels/communicator/half_float.hpp"

namespace shardsim::kernels {
namespace {

template <class Format, Reduction reduction>
void combine(void* in, void* in_out, int* count, MPI_Datatype* /*type*/) {
  const auto* from = static_cast<const std::uint16_t*>(in);
  auto* to = static_cast<std::uint16_t*>(in_out);
  for (int i = 0; i < *count; ++i) {
    const float a = Format::value(from[i]);
    const float b = Format::value(to[i]);
    to[i] = Format::bits(reduction == Reduction::sum ? a + b : std::max(a, b));
  }
}

MPI_Op create(MPI_User_function* function) {
  MPI_Op operation = MPI_OP_NULL;
  constexpr int kCommutative = 1;
  MPI_Op_create(function, kCommutative, &operation);
  return operation;
}

}  // namespace

MPI_Datatype mpi_type(DType dtype) { return model::storage_size(dtype) == Bytes{4} ? MPI_FLOAT : MPI_UINT16_T; }

MpiReductions::MpiReductions()
    : bf16_sum_{create(combine<BFloat16, Reduction::sum>)},
      bf16_maximum_{create(combine<BFloat16, Reduction::maximum>)},
      fp16_sum_{create(combine<Float16, Reduction::sum>)},
      fp16_maximum_{create(combine<Float16, Reduction::maximum>)} {}

MpiReductions::~MpiReductions() {
  for (MPI_Op* operation : {&bf16_sum_, &bf16_maximum_, &fp16_sum_, &fp16_maximum_}) MPI_Op_free(operation);
}

MPI_Op MpiReductions::operation(DType dtype, Reduction reduction) const {
  const bool sum = reduction == Reduction::sum;
  switch (dtype) {
    case DType::fp32:
    case DType::tf32:
      return sum ? MPI_SUM : MPI_MAX;
    case DType::fp16:
      return sum ? fp16_sum_ : fp16_maximum_;
    case DType::bf16:
    case DType::fp8:
      return sum ? bf16_sum_ : bf16_maximum_;
  }
  return MPI_OP_NULL;
}

}  // namespace shardsim::kernels
