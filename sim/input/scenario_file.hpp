// Scenario files (TOML) and presets, as settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/problems.hpp"
#include "sim/input/settings.hpp"

namespace shardsim::input {

/// Sections [model] [parallelism] [training] [stack] [cluster] [device], flattened to dotted keys.
/// `model = "gpt3-175b"` or `preset = "gpt3-175b"` inside the section names a preset.
[[nodiscard]] Settings read_scenario(std::string_view text, const std::string& file, Problems& problems);

/// The kinds of presets: models, clusters, devices, stacks, runs.
struct Preset {
  std::string kind;
  std::string name;
  std::string_view text;
};

/// All presets embedded in the program, sorted by kind and name.
[[nodiscard]] const std::vector<Preset>& presets();

/// nullptr when there is none of that kind and name.
[[nodiscard]] const Preset* find_preset(std::string_view kind, std::string_view name);

}  // namespace shardsim::input
