#include "sim/report/summary.hpp"

#include <algorithm>

#include "sim/base/check.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/parameters.hpp"

namespace shardsim::report {

std::array<Component, kComponents> components(const memory::StageMemory& stage) {
  return {{{"parameters", stage.parameters},
           {"gradients", stage.gradients},
           {"optimizer", stage.optimizer},
           {"activations", stage.activations},
           {"temporaries", stage.temporaries},
           {"logits", stage.logits},
           {"workspace", stage.workspace}}};
}

std::vector<Component> biggest_components(const memory::StageMemory& stage) {
  std::vector<Component> biggest;
  for (const Component& component : components(stage)) {
    if (component.bytes > Bytes{0}) biggest.push_back(component);
  }
  std::stable_sort(biggest.begin(), biggest.end(),
                   [](const Component& a, const Component& b) { return a.bytes > b.bytes; });
  return biggest;
}

std::string_view group_name(model::Group group) {
  switch (group) {
    case model::Group::none:
      return "none";
    case model::Group::tensor:
      return "tensor";
    case model::Group::context:
      return "context";
    case model::Group::pipeline:
      return "pipeline";
    case model::Group::data:
      return "data";
    case model::Group::embedding:
      return "embedding";
    case model::Group::model:
      return "model";
  }
  return "unknown";
}

double bytes_per_parameter(const model::Scenario& scenario, const memory::Memory& memory) {
  const auto stages = model::layout(scenario.model, scenario.parallelism, scenario.stack);
  SHARDSIM_CHECK(stages.size() == memory.stages.size(), "memory of other stages than the layout has");
  const auto& stage = stages[static_cast<std::size_t>(memory.worst_stage)];
  const memory::StageMemory& worst = memory.worst();
  const Bytes state = worst.parameters + worst.gradients + worst.optimizer;
  return state.as_double() / static_cast<double>(model::rank_parameters(scenario, stage));
}

FlopsPerSecond matrix_peak(const model::Scenario& scenario) {
  return scenario.cluster.device.gemm[static_cast<std::size_t>(scenario.training.precision)].peak;
}

double causal_mfu(const engine::Prediction& prediction) {
  return prediction.mfu * (prediction.flops.model_causal / prediction.flops.model);
}

std::vector<NotableStage> notable_stages(const memory::Memory& memory) {
  const auto last = static_cast<std::int64_t>(memory.stages.size()) - 1;
  std::vector<NotableStage> notable;
  const auto add = [&](std::string_view name, std::int64_t index) {
    const memory::StageMemory* stage = &memory.stages[static_cast<std::size_t>(index)];
    const bool known = std::any_of(notable.begin(), notable.end(),
                                   [stage](const NotableStage& other) { return other.stage == stage; });
    if (!known) notable.push_back({name, stage});
  };
  add("worst", memory.worst_stage);
  add("first", 0);
  add("middle", last / 2);
  add("last", last);
  return notable;
}

}  // namespace shardsim::report
