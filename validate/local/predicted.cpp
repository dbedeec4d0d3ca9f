#include "validate/local/predicted.hpp"

#include <cmath>

#include "kernels/trainer/operator_names.hpp"
#include "sim/cost/operator_time.hpp"
#include "sim/engine/closed_form.hpp"
#include "sim/engine/event/predict.hpp"
#include "sim/engine/stage_time.hpp"
#include "sim/input/resolve.hpp"
#include "sim/input/scenario_file.hpp"
#include "sim/input/text_file.hpp"
#include "sim/model/layout.hpp"
#include "validate/local/probe.hpp"

namespace shardsim::validate::local {
namespace {

/// 90 % quantile of the standard normal distribution.
constexpr double kNormalP90 = 1.2815515655446004;
/// An empty cluster preset, so that no other one is assumed.
constexpr const char* kMeasured = "measured";

/// Adds up operators of one stage at the pricer's undisturbed times.
class Sum {
 public:
  explicit Sum(const cost::Pricer& pricer) : pricer_{pricer} {}

  void add(const std::vector<model::Operator>& operators, std::int64_t count) {
    if (count == 0) return;
    for (const model::Operator& op : operators) {
      times_.add(op.name, kernels::name_of(op.kind), kernels::name_of(op.pass),
                 static_cast<double>(count) * pricer_.time(op).value(), count);
    }
  }
  void add(const model::Block& block, std::int64_t count) {
    add(block.forward, count);
    add(block.backward, count);
  }
  [[nodiscard]] const OperatorTimes& times() const { return times_; }

 private:
  const cost::Pricer& pricer_;
  OperatorTimes times_;
};

OperatorTimes times_of_stage(const model::Scenario& scenario, const model::Stage& stage,
                             const model::OperatorList& list) {
  const cost::Pricer pricer{scenario};
  Sum sum{pricer};
  const std::int64_t m = model::micro_batches(scenario);
  for (const model::Chunk& chunk : stage.chunks) {
    const std::int64_t recomputed = model::recomputed_layers(scenario, chunk);
    sum.add(list.layer, m * (chunk.layers - recomputed));
    sum.add(list.recomputed_layer, m * recomputed);
    sum.add(list.embedding, chunk.embedding ? m : 0);
    sum.add(list.head, chunk.head ? m : 0);
  }
  const engine::Sends sends = engine::count_sends(scenario, stage);
  sum.add(list.pipeline_send, m * (sends.forward + sends.backward));
  sum.add(model::step_operators(scenario, stage), 1);
  return sum.times();
}

/// Of the stage that computes longest.
OperatorTimes longest_stage(const model::Scenario& scenario) {
  const model::OperatorList list = model::list_operators(scenario);
  OperatorTimes longest;
  for (const model::Stage& stage : model::layout(scenario.model, scenario.parallelism, scenario.stack)) {
    OperatorTimes times = times_of_stage(scenario, stage, list);
    if (compute(times.by_class) > compute(longest.by_class)) longest = std::move(times);
  }
  return longest;
}

Pair memory_pair(Bytes predicted, double error) {
  const double spread = std::exp(kNormalP90 * error);
  return {0.0, predicted.as_double(), predicted.as_double() / spread, predicted.as_double() * spread};
}

}  // namespace

input::Settings read_profile(const std::string& path) {
  Problems problems;
  const std::string text = input::read_text_file(path, problems);
  problems.throw_if_any();
  input::Settings settings = input::read_scenario(text, path, problems);
  problems.throw_if_any();
  return settings;
}

model::Scenario scenario_of(const Job& job, const input::Settings& profile) {
  input::Settings settings = profile;
  const auto set = [&](const char* key, const std::string& value) {
    settings.set({key, value, {"job", 0, job.name}, ""});
  };
  if (settings.find("cluster.preset") == nullptr) set("cluster.preset", kMeasured);
  set("stack.preset", "shardsim");
  set("cluster.gpus", std::to_string(job.ranks));
  set("training.precision", "fp32");
  set("training.gradient_dtype", "fp32");
  settings.merge(job.settings);
  std::vector<input::Preset> known = input::presets();
  known.push_back({"clusters", kMeasured, "[cluster]\ntitle = \"of the profile\""});
  return input::resolve(settings, known);
}

Predicted predict(const model::Scenario& scenario, Engine engine) {
  const engine::Prediction prediction =
      engine == Engine::event ? engine::event::predict(scenario) : engine::predict(scenario);
  Predicted predicted;
  predicted.step = {0.0, prediction.iteration.value(), prediction.iteration_p10.value(),
                    prediction.iteration_p90.value()};
  Bytes allocated{0};
  Bytes resident{0};
  for (const memory::StageMemory& stage : prediction.memory.stages) {
    allocated = std::max(allocated, stage.peak_allocated);
    resident = std::max(resident, stage.device_used);
  }
  predicted.allocated = memory_pair(allocated, scenario.stack.error.memory);
  predicted.resident = memory_pair(resident, scenario.stack.error.memory);
  predicted.operators = longest_stage(scenario);
  predicted.operators.by_class[index_of(Class::rest)] = predicted.step.predicted - predicted.operators.total();
  for (const engine::GroupCommunication& group : prediction.communication) {
    predicted.exposed_communication += group.exposed.value();
  }
  predicted.probe = cost::Pricer{scenario}.time(probe_operator()).value();
  return predicted;
}

}  // namespace shardsim::validate::local
