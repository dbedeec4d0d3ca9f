#include "sim/input/emit/emit.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "sim/base/check.hpp"
#include "sim/input/emit/parts.hpp"
#include "sim/input/schema.hpp"

namespace shardsim::input {
namespace {

struct Named {
  std::string_view name;
  Framework framework;
};
constexpr std::array kFrameworks{Named{"megatron", Framework::megatron},
                                 Named{"megatron-deepspeed", Framework::megatron_deepspeed},
                                 Named{"nemo", Framework::nemo}, Named{"torchtitan", Framework::torchtitan}};

}  // namespace

std::optional<Framework> framework_of(std::string_view name) {
  for (const Named& known : kFrameworks) {
    if (known.name == name) return known.framework;
  }
  return {};
}

std::vector<std::string> framework_names() {
  std::vector<std::string> names;
  for (const Named& known : kFrameworks) names.emplace_back(known.name);
  return names;
}

std::string emit(Framework framework, const model::Scenario& scenario, const SamePrediction& same) {
  switch (framework) {
    case Framework::megatron:
      return emitting::emit_megatron(scenario, same);
    case Framework::megatron_deepspeed:
      return emitting::emit_megatron_deepspeed(scenario, same);
    case Framework::nemo:
      return emitting::emit_nemo(scenario);
    case Framework::torchtitan:
      return emitting::emit_torchtitan(scenario);
  }
  return {};
}

namespace emitting {

std::string text_of(const model::Scenario& scenario, std::string_view key) {
  const SchemaKey* known = find_key(key);
  SHARDSIM_CHECK(known != nullptr, "no key " + std::string(key));
  return known->write(scenario);
}

std::string not_said(const model::Scenario& scenario, std::string_view key, const std::string& reason) {
  std::string value = text_of(scenario, key);
  if (value.find(' ') != std::string::npos) value = "\"" + value + "\"";
  return "# --set " + std::string(key) + "=" + value + "   (" + reason + ")";
}

std::string headline(const model::Scenario& scenario) {
  std::string text = "# " + scenario.name + ": " + std::to_string(scenario.gpus) + " x " +
                     scenario.cluster.device.name + " (" + scenario.cluster.name + "), " + scenario.stack.name;
  // A name can hold anything; here it must stay inside its comment.
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return text;
}

Nodes nodes_of(const model::Scenario& scenario) {
  std::int64_t per_node = std::min(scenario.gpus, scenario.cluster.gpus_per_node);
  while (scenario.gpus % per_node != 0) --per_node;
  return {scenario.gpus / per_node, per_node};
}

}  // namespace emitting
}  // namespace shardsim::input
