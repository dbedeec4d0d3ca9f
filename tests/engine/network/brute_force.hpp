// Two independent views of max-min fairness, slow and plain: a solver by bisection, and the definition itself.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/network/max_min.hpp"

namespace shardsim::engine::network {

/// Raises the rates of all flows that can still rise to the highest common level that the links carry, found by
/// bisection; keeps those that no longer can; and again.
[[nodiscard]] std::vector<double> brute_force_rates(const std::vector<double>& capacities,
                                                    const std::vector<Flow>& flows);

/// What is not max-min fair about these rates; empty = nothing. Fair (Bertsekas & Gallager 1992, section 6.5.2): no
/// link carries more than its capacity, and each flow is at its bound or has a bottleneck, which is a full link on
/// which no flow is faster.
[[nodiscard]] std::string violation(const std::vector<double>& capacities, const std::vector<Flow>& flows,
                                    const std::vector<double>& rates);

}  // namespace shardsim::engine::network
