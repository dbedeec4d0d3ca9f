// From settings to a checked scenario: presets, defaults (listed as assumed), rules between values.
#pragma once

#include <vector>

#include "sim/input/scenario_file.hpp"
#include "sim/input/settings.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::input {

/// Throws InputError with every problem of the input. Preset names stand in "model.preset", "stack.preset",
/// "cluster.preset", "device.preset"; their values are weaker than given ones.
[[nodiscard]] model::Scenario resolve(const Settings& settings, const std::vector<Preset>& known = presets());

}  // namespace shardsim::input
