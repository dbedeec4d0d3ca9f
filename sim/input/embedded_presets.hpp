// The preset files as the build embeds them (embed_presets.cmake writes the definition).
#pragma once

#include <vector>

#include "sim/input/scenario_file.hpp"

namespace shardsim::input {

[[nodiscard]] std::vector<Preset> embedded_presets();

}  // namespace shardsim::input
