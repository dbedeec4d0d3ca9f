#include <algorithm>
#include <tuple>

#include "sim/input/embedded_presets.hpp"
#include "sim/input/scenario_file.hpp"

namespace shardsim::input {
namespace {

std::vector<Preset> sorted_presets() {
  std::vector<Preset> presets = embedded_presets();
  std::sort(presets.begin(), presets.end(),
            [](const Preset& a, const Preset& b) { return std::tie(a.kind, a.name) < std::tie(b.kind, b.name); });
  return presets;
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = sorted_presets();
  return all;
}

const Preset* find_preset(std::string_view kind, std::string_view name) {
  for (const Preset& preset : presets()) {
    if (preset.kind == kind && preset.name == name) return &preset;
  }
  return nullptr;
}

std::string preset_file(const Preset& preset) { return "scenarios/" + preset.kind + "/" + preset.name + ".toml"; }

std::string preset_title(const Preset& preset) {
  Problems problems;
  const Settings settings = read_scenario(preset.text, preset_file(preset), problems);
  std::vector<std::string> keys{"title"};
  // The kind "models" has the section "model".
  if (!preset.kind.empty()) keys.push_back(preset.kind.substr(0, preset.kind.size() - 1) + ".title");
  for (const std::string& key : keys) {
    if (const Setting* title = settings.find(key)) return title->value;
  }
  return {};
}

}  // namespace shardsim::input
