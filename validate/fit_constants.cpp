#include "validate/fit_constants.hpp"

#include <array>

#include "sim/base/check.hpp"
#include "sim/input/scenario_file.hpp"
#include "sim/input/schema.hpp"

namespace shardsim::validate {
namespace {

using model::Scenario;

/// `Of` leads from a scenario, const or not, to a number.
template <class Of>
Constant number(Of of) {
  return {[of](const Scenario& scenario) { return static_cast<double>(of(scenario)); },
          [of](Scenario& scenario, double value) { of(scenario) = value; }};
}

Constant host(Seconds model::HostCost::*member) {
  return {[member](const Scenario& scenario) { return (scenario.stack.host.*member).value(); },
          [member](Scenario& scenario, double value) { scenario.stack.host.*member = Seconds{value}; }};
}

}  // namespace

const std::vector<Constant>& time_constants() {
  static const std::vector<Constant> constants{
      number([](auto& scenario) -> auto& { return scenario.stack.memory_bound_slowdown; }),
      number([](auto& scenario) -> auto& { return scenario.stack.alibi_attention_slowdown; }),
      host(&model::HostCost::per_launch),
      host(&model::HostCost::per_collective),
      host(&model::HostCost::per_collective_between_nodes),
      host(&model::HostCost::start_between_nodes),
      host(&model::HostCost::per_iteration)};
  return constants;
}

const std::vector<Constant>& memory_constants() {
  static const std::vector<Constant> constants{
      number([](auto& scenario) -> auto& { return scenario.stack.logit_bytes.unfused; }),
      number([](auto& scenario) -> auto& { return scenario.stack.logit_bytes.fused_native; }),
      number([](auto& scenario) -> auto& { return scenario.stack.logit_bytes.fused_te; }),
      number([](auto& scenario) -> auto& { return scenario.stack.saved.extra_per_attention_score; }),
      number([](auto& scenario) -> auto& { return scenario.stack.saved.extra_per_ffn_element; }),
      number([](auto& scenario) -> auto& { return scenario.stack.saved.extra_per_residual_element; }),
      number([](auto& scenario) -> auto& { return scenario.stack.saved.extra_per_flash_output_element; }),
      number([](auto& scenario) -> auto& { return scenario.stack.allocator.fragmentation; }),
      number([](auto& scenario) -> auto& { return scenario.stack.allocator.ring_attention_blocks; })};
  return constants;
}

const Constant& sustained_slowdown() {
  static const Constant constant =
      number([](auto& scenario) -> auto& { return scenario.cluster.device.sustained_slowdown; });
  return constant;
}

Scenario preset_values(const std::string& kind, const std::string& name) {
  const input::Preset* preset = input::find_preset(kind, name);
  SHARDSIM_CHECK(preset != nullptr, "no preset " + name + " of the kind " + kind);
  Problems problems;
  Scenario scenario;
  const input::Settings settings = input::read_scenario(preset->text, name, problems);
  for (const input::Setting& setting : settings.all()) {
    if (const input::SchemaKey* key = input::find_key(setting.key)) key->read(scenario, setting.value);
  }
  return scenario;
}

std::vector<double> search(std::vector<double> values, const std::function<double(const std::vector<double>&)>& loss) {
  constexpr std::array kSteps{1.6, 1.26, 1.12, 1.06};
  constexpr int kMostMoves = 8;
  double best = loss(values);
  const auto improves = [&](std::size_t i, double factor) {
    std::vector<double> tried = values;
    tried[i] *= factor;
    const double reached = loss(tried);
    if (reached >= best) return false;
    best = reached;
    values = tried;
    return true;
  };
  for (const double step : kSteps) {
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == 0.0) continue;
        const double factor = improves(i, step) ? step : 1.0 / step;
        for (int move = 0; move < kMostMoves && improves(i, factor); ++move) {
        }
      }
    }
  }
  return values;
}

}  // namespace shardsim::validate
