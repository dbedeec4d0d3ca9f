// Scenario files (TOML) and presets, as settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/problems.hpp"
#include "sim/input/settings.hpp"

namespace shardsim::input {

/// Sections [model] [parallelism] [training] [stack] [cluster] [device], flattened to dotted keys.
/// `model = "gpt3-175b"` or `preset = "gpt3-175b"` inside the section names a preset; so does `device = "…"` inside
/// [cluster]. `gpus` may stand at the top. Lists become words with blanks between.
[[nodiscard]] Settings read_scenario(std::string_view text, const std::string& file, Problems& problems);

/// The key that a shorter spelling means: "model" is "model.preset", "gpus" is "cluster.gpus",
/// "cluster.device…" is "device…"; "cluster.nic_bandwidth", "cluster.nvlink_bandwidth", "device.hbm_capacity" and
/// "device.hbm_bandwidth" are the fields that people mean by it. Other keys stay as they are.
[[nodiscard]] std::string canonical_key(std::string_view key);

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

/// The preset's own line about itself ("title"), for lists.
[[nodiscard]] std::string preset_title(const Preset& preset);

/// Where the preset's file lies in the source tree, for messages: "scenarios/models/gpt3-175b.toml".
[[nodiscard]] std::string preset_file(const Preset& preset);

}  // namespace shardsim::input
