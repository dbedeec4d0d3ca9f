#include "sim/cli/collect.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/input/framework_config.hpp"
#include "sim/input/job.hpp"
#include "sim/input/megatron.hpp"
#include "sim/input/multiplier.hpp"
#include "sim/input/resolve.hpp"
#include "sim/input/scenario_file.hpp"
#include "sim/input/text_file.hpp"

namespace shardsim::cli {
namespace {

using input::Setting;
using input::Settings;

constexpr const char* kCommandLine = "command line";

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

using Reader = Settings (*)(std::string_view text, const std::string& file, Problems& problems);

struct Text {
  Reader read;
  std::string file;
  std::string text;
};

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// A word without a folder or extension of a file, and no file's name, was meant as the name of a run.
bool meant_as_run(const std::string& name) {
  return name != "-" && name.find('/') == std::string::npos && !ends_with(name, ".toml") &&
         !std::filesystem::exists(name);
}

Text read_scenario_argument(const std::string& name, std::string_view command, Problems& problems) {
  if (const input::Preset* run = input::find_preset("runs", name))
    return {input::read_scenario, name, std::string(run->text)};
  if (ends_with(name, ".sh")) usage_error(command, name + " looks like a launch script: give it as --megatron " + name);
  if (!meant_as_run(name)) return {input::read_scenario, shown_name(name), input::read_text_file(name, problems)};
  std::vector<std::string> names;
  for (const input::Preset& preset : input::presets()) {
    if (preset.kind == "runs") names.push_back(preset.name);
  }
  problems.add({{},
                "",
                "",
                "`" + name + "` is neither a file nor a run" + suggestion(name, names) +
                    "; `shardsim list runs` lists the runs"});
  return {input::read_scenario, name, ""};
}

std::vector<Text> read_inputs(const ScenarioOptions& options) {
  const std::array<const std::string*, 4> files{&options.hf_config, &options.scenario, &options.megatron,
                                                &options.deepspeed_config};
  if (std::count_if(files.begin(), files.end(), [](const std::string* file) { return *file == "-"; }) > 1) {
    usage_error(options.command, "standard input (-) can be only one of the inputs");
  }
  Problems problems;
  std::vector<Text> texts;
  const auto add = [&](const std::string& path, Reader reader) {
    if (!path.empty()) texts.push_back({reader, shown_name(path), input::read_text_file(path, problems)});
  };
  add(options.hf_config, input::read_hf_config);
  if (!options.scenario.empty()) texts.push_back(read_scenario_argument(options.scenario, options.command, problems));
  add(options.megatron, input::read_megatron);
  add(options.deepspeed_config, input::read_deepspeed_config);
  problems.throw_if_any();
  return texts;
}

void warn_of_conflicts(Settings& all, const Settings& later) {
  for (const Setting& setting : later.all()) {
    const Setting* earlier = all.find(setting.key);
    if (earlier == nullptr || earlier->value == setting.value) continue;
    if (!earlier->assumed_because.empty() || !setting.assumed_because.empty()) continue;
    all.warn(setting.key + " = " + setting.value + " (" + setting.origin.file + ") replaces " + earlier->value + " (" +
             earlier->origin.file + ")");
  }
}

/// What a preset named on the command line leaves alone: facts of the job, not of the model or the cluster.
bool belongs_to_job(const std::string& key) { return key == "cluster.gpus" || key == "model.seq_length"; }

/// A name on the command line stands for the whole section: what the files say of it gives way.
Settings with_preset(const Settings& settings, const std::string& section, const std::string& name) {
  if (name.empty()) return settings;
  Settings changed;
  std::string replaced;
  for (const Setting& setting : settings.all()) {
    if (setting.key.rfind(section + ".", 0) != 0 || belongs_to_job(setting.key)) {
      changed.set(setting);
    } else if (setting.assumed_because.empty() && setting.key != section + ".preset") {
      replaced += (replaced.empty() ? "" : ", ") + setting.key;
    }
  }
  for (const std::string& warning : settings.warnings()) changed.warn(warning);
  if (!replaced.empty()) changed.warn("--" + section + " " + name + " replaces what the files say of " + replaced);
  changed.set({section + ".preset", name, {kCommandLine, 0, "--" + section}, ""});
  return changed;
}

/// A profile built on presets (`shardsim validate --fit` writes one) speaks for cluster, device and stack. Nothing
/// where the name is none of such a file.
std::optional<Settings> profile_of(const std::string& name, Problems& problems) {
  if (!ends_with(name, ".toml")) return std::nullopt;
  const std::string text = input::read_text_file(name, problems);
  Settings read;
  if (text.empty()) return read;
  read = input::read_scenario(text, name, problems);
  return read.find("stack.preset") != nullptr ? std::optional<Settings>{std::move(read)} : std::nullopt;
}

Settings with_cluster(const Settings& settings, const std::string& name, Problems& problems) {
  const std::optional<Settings> profile = profile_of(name, problems);
  if (!profile) return with_preset(settings, "cluster", name);
  Settings changed = settings;
  for (const Setting& setting : profile->all()) {
    const std::string section = setting.key.substr(0, setting.key.find('.'));
    if (section == "cluster" || section == "device" || section == "stack") {
      changed.set(setting);
    } else {
      problems.add(
          {setting.origin, setting.key, setting.value, "a profile holds [cluster], [device] and [stack] only"});
    }
  }
  return changed;
}

void apply_override(Settings& settings, const std::string& text, Problems& problems) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    problems.add({{kCommandLine, 0, "--set"}, "", text, "expected section.key=value, as model.num_layers=24"});
    return;
  }
  override_value(settings, {text.substr(0, equals), text.substr(equals + 1), {kCommandLine, 0, "--set"}, ""}, problems);
}

/// The file could not be read at all: no problem of one key.
bool is_of_whole_file(const Problem& problem) { return problem.key.empty() && problem.origin.name.empty(); }

using Resolve = model::Scenario (*)(const Settings& settings, const std::vector<input::Preset>& known);

model::Scenario resolve_with(Resolve resolve, const Settings& settings, Problems& problems) {
  try {
    model::Scenario scenario = resolve(settings, input::presets());
    problems.throw_if_any();
    return scenario;
  } catch (const InputError& error) {
    // What was passed over may be why something is missing.
    for (const std::string& warning : settings.warnings()) std::cerr << "warning: " << warning << '\n';
    if (problems.empty()) throw;
    std::vector<Problem> all = problems.all();
    const bool lacks_file = std::any_of(all.begin(), all.end(), is_of_whole_file);
    for (const Problem& problem : error.problems()) {
      const auto same = [&](const Problem& known) { return known.key == problem.key; };
      const bool may_follow = lacks_file && problem.origin.file.empty();
      if (!may_follow && std::none_of(all.begin(), all.end(), same)) all.push_back(problem);
    }
    throw InputError(all);
  }
}

}  // namespace

Settings collect_settings(const ScenarioOptions& options, Problems& problems) {
  Settings settings;
  for (const Text& input : read_inputs(options)) {
    const Settings read = input.read(input.text, input.file, problems);
    warn_of_conflicts(settings, read);
    settings.merge(read);
  }
  settings = with_preset(settings, "model", options.model);
  settings = with_cluster(settings, options.cluster, problems);
  settings = with_preset(settings, "stack", options.stack);
  settings = with_preset(settings, "device", options.device);
  if (!options.gpus.empty()) settings.set({"cluster.gpus", options.gpus, {kCommandLine, 0, "--gpus"}, ""});
  if (!options.flags.empty()) settings.merge(input::read_megatron(options.flags, kCommandLine, problems));
  for (const std::string& text : options.set) apply_override(settings, text, problems);
  return settings;
}

void override_value(Settings& settings, Setting setting, Problems& problems) {
  setting.key = input::canonical_key(setting.key);
  // A multiple of what the files say; of what presets say is resolved with them.
  if (settings.find(setting.key) == nullptr) return settings.set(std::move(setting));
  if (auto value = input::multiplied(setting, settings, problems)) settings.set(std::move(*value));
}

model::Scenario resolve_all(const Settings& settings, Problems& problems) {
  return resolve_with(input::resolve, settings, problems);
}

model::Scenario resolve_job(const Settings& settings, Problems& problems) {
  return resolve_with(input::resolve_job, settings, problems);
}

}  // namespace shardsim::cli
