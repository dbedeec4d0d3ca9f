// How sure it is that the fastest plan is the fastest.
#pragma once

#include <vector>

#include "sim/engine/assemble.hpp"
#include "sim/plan/search.hpp"

namespace shardsim::plan {

/// The logarithm of one plan's time as a random variable, see probability_best().
struct UncertainTime {
  Seconds time;
  engine::ErrorParts error;
};

/// Share of the stack's variance that plans of one job do not have in common. The other half is an error of the job:
/// model, software version, machine. An assumption: published runs give too few pairs of plans to fit it.
inline constexpr double kOwnShareOfStackVariance = 0.5;

/// Probability that the first plan takes the least time. All plans run on one device, one network and one stack, so
/// their errors are correlated:
///   ln t_i = ln T_i + device_i · x + network_i · y + √(1 − o) · stack_i · z + √o · stack_i · w_i,
/// x, y, z common to all, w_i each plan's own, all standard normal and independent; device_i, network_i and stack_i are
/// the parts that the interval is made of, o is kOwnShareOfStackVariance. Integrated by the trapezoidal rule over x, y
/// and w_0, which converges exponentially for normal densities; no random numbers. Plans of one stack have the same
/// stack_i, so z moves all alike and drops out.
[[nodiscard]] double probability_best(const std::vector<UncertainTime>& plans);

/// The same of a search's candidates, the first against all others.
[[nodiscard]] double probability_best(const std::vector<Candidate>& candidates);

}  // namespace shardsim::plan
