// Constants of a profile that meet measured runs, and a search for their values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/model/scenario.hpp"

namespace shardsim::validate {

/// One number of a scenario's stack or device: a factor, or seconds.
struct Constant {
  std::function<double(const model::Scenario&)> get;
  std::function<void(model::Scenario&, double)> set;
};

/// Of a stack, what moves time: memory-bound and attention factors, host costs.
[[nodiscard]] const std::vector<Constant>& time_constants();
/// Of a stack, what moves memory: bytes kept and at the loss, fragmentation.
[[nodiscard]] const std::vector<Constant>& memory_constants();
/// Of a device: sustained over burst time of matrix work.
[[nodiscard]] const Constant& sustained_slowdown();

/// A scenario that holds a preset ("stacks" or "devices") and nothing else.
[[nodiscard]] model::Scenario preset_values(const std::string& kind, const std::string& name);

/// Coordinate search: each value times and over 1.6, 1.26, 1.12 … while `loss` falls, twice over all values a step
/// size. A value of 0 stays. Returns the best values met.
[[nodiscard]] std::vector<double> search(std::vector<double> values,
                                         const std::function<double(const std::vector<double>&)>& loss);

}  // namespace shardsim::validate
