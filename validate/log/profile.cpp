#include "validate/log/profile.hpp"

#include <array>
#include <sstream>
#include <string_view>

#include "sim/input/scenario_file.hpp"
#include "sim/input/schema.hpp"
#include "sim/input/units.hpp"
#include "sim/report/format.hpp"

namespace shardsim::validate::log {
namespace {

using model::Scenario;

void apply(Scenario& scenario, const std::string& kind, const std::string& name) {
  const input::Preset* preset = input::find_preset(kind, name);
  if (preset == nullptr) return;
  Problems problems;
  const input::Settings settings = input::read_scenario(preset->text, name, problems);
  for (const input::Setting& setting : settings.all()) {
    if (const input::SchemaKey* key = input::find_key(input::canonical_key(setting.key))) {
      key->read(scenario, setting.value);
    }
  }
}

/// The presets of a scenario and nothing else.
Scenario of_presets(const Scenario& scenario) {
  Scenario presets;
  apply(presets, "devices", scenario.cluster.device.name);
  apply(presets, "clusters", scenario.cluster.name);
  apply(presets, "stacks", scenario.stack.name);
  return presets;
}

std::string value_text(const std::string& value) {
  const bool bare = input::parse_number(value).value || input::parse_bool(value).value;
  if (bare) return value;
  std::string quoted = "\"";
  for (const char c : value) quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return quoted + '"';
}

bool describes(std::string_view key) {
  for (const std::string_view text : {".name", ".title", ".provenance"}) {
    if (key.size() > text.size() && key.substr(key.size() - text.size()) == text) return true;
  }
  return false;
}

std::string provenance(const Fit& fit) {
  std::string text = "Refined by shardsim validate --fit: " + std::to_string(fit.timed) + " timed runs";
  if (fit.timed > 0) {
    text += " (median error " + report::percent(fit.time_errors.before) + " before, " +
            report::percent(fit.time_errors.after) + " after, " + report::percent(fit.time_errors.left_out) +
            " left out)";
  }
  return text + ", " + std::to_string(fit.weighed) + " with memory.";
}

}  // namespace

std::string profile_toml(const Scenario& start, const Fit& fit) {
  const Scenario presets = of_presets(start);
  const Scenario changed = refined(start, fit);
  const std::array<std::pair<std::string, std::string>, 3> sections{
      {{"cluster", start.cluster.name}, {"device", start.cluster.device.name}, {"stack", start.stack.name}}};
  std::ostringstream out;
  out << "# Written by `shardsim validate --fit`; use it as --cluster FILE.toml or as the scenario of `predict`.\n";
  for (const auto& [section, preset] : sections) {
    out << '\n' << '[' << section << "]\n";
    // Without a preset underneath everything is written.
    const bool builds_on_preset = input::find_preset(section + "s", preset) != nullptr;
    if (builds_on_preset) out << "preset = " << value_text(preset) << '\n';
    if (section == "cluster") out << "provenance = " << value_text(provenance(fit)) << '\n';
    for (const input::SchemaKey& key : input::schema()) {
      if (key.name.rfind(section + ".", 0) != 0 || describes(key.name)) continue;
      const std::string value = key.write(changed);
      const bool same = builds_on_preset && value == key.write(presets);
      if (key.name == "cluster.gpus" || value.empty() || same) continue;
      out << key.name.substr(section.size() + 1) << " = " << value_text(value) << '\n';
    }
  }
  return out.str();
}

}  // namespace shardsim::validate::log
