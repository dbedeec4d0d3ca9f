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

void OperatorTimes::add(const OperatorTimes& other, double share) {
  for (std::size_t i = 0; i < kClasses; ++i) by_class[i] += share * other.by_class[i];
  for (const auto& [name, time] : other.by_operator) {
    OperatorTime& one = by_operator[name];
    one.count = time.count;
    one.seconds += share * time.seconds;
  }
}

double OperatorTimes::total() const { return std::accumulate(by_class.begin(), by_class.end(), 0.0); }

}  // namespace shardsim::validate::local
