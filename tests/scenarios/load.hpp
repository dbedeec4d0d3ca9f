// Presets as scenarios, for tests.
#pragma once

#include <string>
#include <string_view>

#include "sim/input/resolve.hpp"
#include "sim/input/scenario_file.hpp"

namespace shardsim::tests {

/// The run of that name, resolved; throws InputError with everything that is wrong with it.
inline model::Scenario load_run(std::string_view name) {
  const input::Preset* preset = input::find_preset("runs", name);
  if (preset == nullptr) throw InputError({{{}, "runs", std::string(name), "no such preset"}});
  Problems problems;
  const input::Settings settings = input::read_scenario(preset->text, preset->name, problems);
  problems.throw_if_any();
  return input::resolve(settings);
}

/// The smallest scenario that names a model, a stack and a cluster by their presets.
inline model::Scenario load(const std::string& model, const std::string& stack, const std::string& cluster) {
  input::Settings settings;
  settings.set({"model.preset", model, {}, {}});
  settings.set({"stack.preset", stack, {}, {}});
  settings.set({"cluster.preset", cluster, {}, {}});
  settings.set({"training.micro_batch_size", "1", {}, {}});
  // The one 16-bit format that every device has.
  settings.set({"training.precision", "fp16", {}, {}});
  return input::resolve(settings);
}

}  // namespace shardsim::tests
