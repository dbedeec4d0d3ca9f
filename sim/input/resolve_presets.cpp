#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "sim/base/suggest.hpp"
#include "sim/input/multiplier.hpp"
#include "sim/input/resolve_steps.hpp"
#include "sim/input/text.hpp"
#include "sim/input/text_file.hpp"

namespace shardsim::input {
namespace {

/// Finds presets and reads them, keeping the problems.
class PresetReader {
 public:
  PresetReader(const Settings& given, const std::vector<Preset>& known) : given_{given}, known_{known} {}

  /// The preset's settings, and its name under "<section>.name" unless it has one of its own. Empty when there is
  /// no such preset: then the name is a problem.
  Settings read(const std::string& section, const Setting& name) {
    const std::string kind = section + "s";
    if (section == "cluster" && is_file(name.value)) return read_file(name.value);
    const auto is_wanted = [&](const Preset& preset) { return preset.kind == kind && preset.name == name.value; };
    const auto preset = std::find_if(known_.begin(), known_.end(), is_wanted);
    Settings settings;
    if (preset == known_.end()) {
      problems.add({name.origin, name.key, name.value, unknown_name(section, kind, name.value)});
      unknown.push_back(name.key);
      return settings;
    }
    const Settings text = read_scenario(preset->text, preset_file(*preset), problems);
    settings.append({section + ".name", preset->name, {preset_file(*preset), 0, "name"}, {}});
    for (Setting setting : text.all()) {
      const bool at_top = setting.key.find('.') == std::string::npos;
      if (at_top) setting.key = section + "." + setting.key;
      settings.set(std::move(setting));
    }
    return settings;
  }

  /// The name of a section's preset, or the assumed one.
  [[nodiscard]] Setting name(const std::string& section, const char* assumed) const {
    const std::string key = section + ".preset";
    if (const Setting* name = given_.find(key)) return *name;
    return {key, assumed, {}, "no " + section + " preset given"};
  }

  Problems problems;
  std::vector<std::string> unknown;

 private:
  static bool is_file(const std::string& name) {
    constexpr std::string_view kEnd = ".toml";
    return name.size() > kEnd.size() && name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
  }

  /// A cluster of the user's own, with its device: `shardsim calibrate` writes such a file.
  Settings read_file(const std::string& path) {
    Problems unread;
    const std::string text = read_text_file(path, unread);
    Settings settings;
    if (unread.empty()) {
      settings.append({"cluster.name", file_stem(path), {path, 0, "name"}, {}});
      const Settings read = read_scenario(text, path, problems);
      for (const Setting& setting : read.all()) settings.set(setting);
    } else {
      for (const Problem& problem : unread.all()) problems.add(problem);
      unknown.emplace_back("cluster.preset");
    }
    return settings;
  }

  static std::string file_stem(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    return name.substr(0, name.rfind('.'));
  }

  [[nodiscard]] std::string unknown_name(const std::string& section, const std::string& kind,
                                         const std::string& name) const {
    std::vector<std::string_view> names;
    for (const Preset& preset : known_) {
      if (preset.kind == kind) names.push_back(preset.name);
    }
    std::string message = "there is no " + section + " preset of this name";
    if (const auto near = nearest(name, names)) return message + "; did you mean " + in_quotes(*near) + "?";
    for (std::size_t i = 0; i < names.size(); ++i) message += (i == 0 ? "; known: " : ", ") + std::string(names[i]);
    return message;
  }

  const Settings& given_;
  const std::vector<Preset>& known_;
};

Settings with_canonical_keys(const Settings& settings) {
  Settings canonical;
  for (Setting setting : settings.all()) {
    setting.key = canonical_key(setting.key);
    canonical.set(std::move(setting));
  }
  for (const std::string& warning : settings.warnings()) canonical.warn(warning);
  return canonical;
}

/// The cluster on top of its device. A device that the user names replaces the cluster's, corrections included.
Settings read_cluster(const Settings& given, PresetReader& reader) {
  const Setting name = reader.name("cluster", kDefaultCluster);
  const Settings cluster = reader.read("cluster", name);
  const Setting* own_device = cluster.find("device.preset");
  const Setting* given_device = given.find("device.preset");
  const bool replaced = given_device != nullptr && (own_device == nullptr || own_device->value != given_device->value);
  Settings result;
  if (const Setting* device = given_device != nullptr ? given_device : own_device) {
    result.merge(reader.read("device", *device));
  }
  for (const Setting& setting : cluster.all()) {
    const bool of_device = setting.key.rfind("device.", 0) == 0;
    if (!replaced || !of_device) result.set(setting);
  }
  result.set(name);
  return result;
}

std::int64_t whole_number(const Settings& settings, const char* key) {
  const Setting* setting = settings.find(key);
  return setting == nullptr ? 0 : std::strtoll(setting->value.c_str(), nullptr, 10);
}

/// A model preset without what no longer follows from the user's own sizes: a preset whose heads are hidden_size /
/// num_attention_heads wide, say, means that, and not the number. Such values are derived anew.
Settings without_outdated(const Settings& preset, const Settings& given) {
  const auto number = [&](const char* key) { return whole_number(preset, key); };
  const std::int64_t hidden = number("model.hidden_size");
  const std::int64_t heads = number("model.num_attention_heads");
  const bool changes_hidden = given.find("model.hidden_size") != nullptr;
  const bool changes_heads = given.find("model.num_attention_heads") != nullptr;
  const auto outdated = [&](const std::string& key) {
    if (key == "model.num_query_groups") return changes_heads && number("model.num_query_groups") == heads;
    if (key == "model.kv_channels") {
      return (changes_heads || changes_hidden) && number("model.kv_channels") * heads == hidden;
    }
    return key == "model.ffn_hidden_size" && changes_hidden && number("model.ffn_hidden_size") == 4 * hidden;
  };
  Settings kept;
  for (const Setting& setting : preset.all()) {
    if (!outdated(setting.key)) kept.append(setting);
  }
  return kept;
}

}  // namespace

Draft with_presets(const Settings& settings, const std::vector<Preset>& known) {
  const Settings given = with_canonical_keys(settings);
  PresetReader reader(given, known);
  const Settings cluster = read_cluster(given, reader);
  Settings merged = cluster;
  const Setting stack = reader.name("stack", kDefaultStack);
  merged.merge(reader.read("stack", stack));
  // A measured cluster may know better what the stack costs on it.
  for (const Setting& setting : cluster.all()) {
    if (setting.key.rfind("stack.", 0) == 0) merged.set(setting);
  }
  merged.set(stack);
  if (const Setting* model = given.find("model.preset")) {
    merged.merge(without_outdated(reader.read("model", *model), given));
  }
  Settings replacing;
  for (const Setting& setting : given.all()) {
    if (auto value = multiplied(setting, merged, reader.problems)) replacing.append(std::move(*value));
  }
  for (const std::string& warning : given.warnings()) replacing.warn(warning);
  merged.merge(replacing);
  Draft draft(std::move(merged), std::move(reader.problems));
  for (const std::string& key : reader.unknown) draft.distrust(key);
  return draft;
}

}  // namespace shardsim::input
