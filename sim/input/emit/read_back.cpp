#include "sim/input/emit/read_back.hpp"

#include <algorithm>
#include <array>

#include "sim/input/emit/parts.hpp"
#include "sim/input/framework_config.hpp"
#include "sim/input/megatron.hpp"
#include "sim/input/resolve.hpp"
#include "sim/input/schema.hpp"

namespace shardsim::input::emitting {
namespace {

using model::Scenario;

bool begins(const std::string& text, std::string_view start) { return text.compare(0, start.size(), start) == 0; }

/// What the command line gives beside the script: --cluster, --stack and the overrides of their constants.
Settings surroundings(const Scenario& scenario) {
  Settings settings;
  const bool known_stack = find_preset("stacks", scenario.stack.name) != nullptr;
  if (known_stack) settings.set({"stack.preset", scenario.stack.name, {}, {}});
  for (const SchemaKey& key : schema()) {
    const bool hardware = begins(key.name, "cluster.") || begins(key.name, "device.");
    const bool stack = begins(key.name, "stack.") && !known_stack;
    // A text without a value reads as a missing one.
    std::string value = hardware || stack ? key.write(scenario) : "";
    if (!value.empty()) settings.set({key.name, std::move(value), {}, {}});
  }
  return settings;
}

bool is_compared(const std::string& key) {
  constexpr std::array<std::string_view, 4> kSections{"model.", "parallelism.", "training.", "stack."};
  constexpr std::array<std::string_view, 6> kNames{"model.name",  "model.family",     "stack.name",
                                                   "stack.title", "stack.provenance", "parallelism.data_parallel_size"};
  return std::any_of(kSections.begin(), kSections.end(), [&](std::string_view s) { return begins(key, s); }) &&
         std::find(kNames.begin(), kNames.end(), key) == kNames.end();
}

}  // namespace

Scenario read_back(const Written& written, const Scenario& scenario) {
  Problems problems;
  Settings settings = read_megatron(written.script, "script", problems);
  if (!written.deepspeed_config.empty()) {
    settings.merge(read_deepspeed_config(written.deepspeed_config, "configuration", problems));
  }
  settings.merge(surroundings(scenario));
  settings.set({"cluster.gpus", std::to_string(scenario.gpus), {}, {}});
  for (const std::string& key : written.set_aside) settings.set({key, text_of(scenario, key), {}, {}});
  problems.throw_if_any();
  return resolve(settings);
}

std::vector<std::string> differences(const Scenario& a, const Scenario& b) {
  std::vector<std::string> keys;
  for (const SchemaKey& key : schema()) {
    if (is_compared(key.name) && key.write(a) != key.write(b)) keys.push_back(key.name);
  }
  return keys;
}

Scenario with_value_of(Scenario a, const Scenario& b, const std::string& key) {
  static_cast<void>(find_key(key)->read(a, text_of(b, key)));
  return a;
}

}  // namespace shardsim::input::emitting
