// The preset files as the build embeds them (embed_presets.cmake writes the definition).
#pragma once

#include <string_view>
#include <vector>

#include "sim/input/scenario_file.hpp"

namespace shardsim::input {

[[nodiscard]] std::vector<Preset> embedded_presets();

/// scenarios/prices.toml.
[[nodiscard]] std::string_view embedded_prices();

}  // namespace shardsim::input
