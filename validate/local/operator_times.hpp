// What one rank's operators take in one iteration, by class and one by one.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "validate/local/classes.hpp"

namespace shardsim::validate::local {

/// Of repeated times, the quantile that other programs, and other machines on the same processor, disturb least: they
/// only ever add.
inline constexpr double kUndisturbed = 0.1;

/// Operators of one name, kind and pass.
struct OperatorTime {
  std::int64_t count = 0;
  double seconds = 0.0;
};

struct OperatorTimes {
  ClassTimes by_class{};
  /// By "name,kind,pass".
  std::map<std::string, OperatorTime> by_operator;

  void add(std::string_view name, std::string_view kind, std::string_view pass, double seconds, std::int64_t count);
  /// Adds a share of another iteration; counts are the other's.
  void add(const OperatorTimes& other, double share);
  /// Sum over all classes.
  [[nodiscard]] double total() const;
};

}  // namespace shardsim::validate::local
