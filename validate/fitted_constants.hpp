// How many constants of the profiles were fitted on measured training runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/input/scenario_file.hpp"

namespace shardsim::validate {

/// Keys that a profile names in its comment line "# fitted: key, key", as they stand in its section
/// ("host.per_launch"): constants chosen so that predictions meet measured training runs. What stems from data sheets,
/// source code or measured primitives (products, kernels, collectives) is none.
[[nodiscard]] std::vector<std::string> fitted_keys(const input::Preset& preset);

/// The numbers that the profile gives for its fitted keys; a table counts each of its numbers. A key that the profile
/// does not set counts nothing.
[[nodiscard]] std::size_t fitted_constants(const input::Preset& preset);

/// Of all stacks, devices and clusters.
[[nodiscard]] std::size_t fitted_constants();

}  // namespace shardsim::validate
