#include "validate/local/operator_times.hpp"

#include <numeric>

namespace shardsim::validate::local {

void OperatorTimes::add(std::string_view name, std::string_view kind, std::string_view pass, double seconds,
                        std::int64_t count) {
  by_class[index_of(class_of(kind, pass))] += seconds;
  OperatorTime& one = by_operator[std::string(name) + ',' + std::string(kind) + ',' + std::string(pass)];
  one.count += count;
  one.seconds += seconds;
}

double OperatorTimes::total() const { return std::accumulate(by_class.begin(), by_class.end(), 0.0); }

}  // namespace shardsim::validate::local
