// Which term of a prediction most likely explains a measured time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/scenario.hpp"

namespace shardsim::validate::log {

/// One part of the profile that alone, changed by `factor`, gives the measured time.
struct Suspect {
  std::string_view name;
  std::string_view slows;
  std::string_view check;
  /// More than 1: slower than the profile says.
  double factor = 1.0;
  /// |log factor| in standard deviations that the profile claims.
  double surprise = 0.0;
};

/// A changed run that the two least surprising suspects predict differently.
struct Experiment {
  /// "micro batch 4 instead of 2"
  std::string change;
  Seconds with_first;
  Seconds with_second;
};

struct Suspicion {
  /// Least surprise first; what cannot explain the time within a factor of kMostFactor is left out.
  std::vector<Suspect> suspects;
  std::optional<Experiment> experiment;
};
inline constexpr double kMostFactor = 16.0;

[[nodiscard]] Suspicion suspicion(const model::Scenario& scenario, Seconds measured);

}  // namespace shardsim::validate::log
