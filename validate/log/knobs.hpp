// What may be different on a user's cluster: factors on parts of a profile, each with how far it may be off.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "sim/model/scenario.hpp"

namespace shardsim::validate::log {

struct Knob {
  /// "sustained clock"
  std::string_view name;
  /// What slower means: "matrix products and attention".
  std::string_view slows;
  /// Standard deviation of the factor's logarithm that the profile itself claims.
  double (*error)(const model::Scenario& scenario);
  /// The same for a cluster that the profile was not measured on: what a fit starts from.
  double prior;
  /// Multiplies what the knob stands for; more than 1 is slower.
  void (*slow_down)(model::Scenario& scenario, double factor);
  /// What would tell it apart from the others.
  std::string_view check;
};

/// Those of the iteration's time. The first kFitted of them are what a fit refines.
[[nodiscard]] const std::vector<Knob>& time_knobs();
inline constexpr std::size_t kFitted = 3;

[[nodiscard]] model::Scenario slowed(const model::Scenario& scenario, const Knob& knob, double factor);

}  // namespace shardsim::validate::log
