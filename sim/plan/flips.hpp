// Which single constant would change the order of two plans, and by how much it would have to be wrong.
#pragma once

#include <string_view>
#include <vector>

#include "sim/model/scenario.hpp"

namespace shardsim::plan {

/// A constant of device, network or stack, scaled in both plans at once.
struct Constant {
  /// "inter_node.bandwidth".
  std::string_view name;
  /// "bandwidth between nodes".
  std::string_view title;
  void (*scale)(model::Scenario& scenario, double factor);
};

/// Clock, memory bandwidth, networks, host, overlap.
[[nodiscard]] const std::vector<Constant>& constants();

struct Flip {
  std::string_view name;
  std::string_view title;
  /// The constant times this makes both plans equally fast; the nearest to 1 of several.
  double factor = 1.0;
};

inline constexpr double kWidestFactor = 2.0;

/// Constants that flip the order within a factor of two either way, the smallest change first. Both plans are predicted
/// anew at each trial; a change of sign between trials is bisected.
[[nodiscard]] std::vector<Flip> flips(const model::Scenario& winner, const model::Scenario& other);

}  // namespace shardsim::plan
