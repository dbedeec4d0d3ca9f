#include "sim/engine/step_time.hpp"

#include <algorithm>

#include "sim/base/check.hpp"
#include "sim/schedule/in_flight.hpp"

namespace shardsim::engine {
namespace {

using model::Group;
using model::Operator;
using model::OperatorKind;

bool travels_every_micro_batch(int zero_stage, OperatorKind kind) {
  return kind == OperatorKind::all_gather ? zero_stage >= kShardedParameters : zero_stage >= kShardedGradients;
}

/// Takes what it hides from the windows: gradients from the backward, gathers from the forward first.
Seconds hide(Seconds time, Seconds& window, double slowdown) {
  const Seconds exposed = exposed_time(time, window, slowdown);
  window -= std::min(time, window);
  return exposed;
}

Seconds data_exposed(const model::Scenario& scenario, const Operator& op, Seconds time, Seconds message,
                     HidingWindows& windows) {
  if (!op.overlapped) return time;
  const double slowdown = scenario.cluster.device.communication_slowdown;
  const Seconds hideable = time - message;
  if (op.kind != OperatorKind::all_gather) return message + hide(hideable, windows.backward, slowdown);
  if (model::traffic_zero_stage(scenario) < kShardedParameters)
    return message + hide(hideable, windows.forward, slowdown);
  // Half of the gathers serve the forward pass, half the backward.
  return message + hide(hideable / 2.0, windows.forward, slowdown) + hide(hideable / 2.0, windows.backward, slowdown);
}

}  // namespace

HidingWindows hiding_windows(const model::Scenario& scenario, const schedule::StageTime& stage) {
  const model::Parallelism& parallelism = scenario.parallelism;
  const auto passes = static_cast<double>(model::micro_batches(scenario));
  HidingWindows windows{stage.forward, stage.backward};
  if (parallelism.virtual_pipeline_model_parallel_size > 1) {
    const auto chunks = static_cast<double>(parallelism.virtual_pipeline_model_parallel_size);
    const auto group = static_cast<double>(schedule::group_size(parallelism, model::micro_batches(scenario)));
    windows.backward = (1.0 + std::min(group, passes) * (chunks - 1.0)) / chunks * stage.backward;
  }
  const int zero_stage = model::traffic_zero_stage(scenario);
  if (zero_stage >= kShardedGradients) windows.backward = passes * stage.backward;
  if (zero_stage >= kShardedParameters) windows.forward = passes * stage.forward;
  return windows;
}

std::int64_t data_messages(const model::Scenario& scenario, const model::Stage& stage, const Operator& op) {
  const int zero_stage = model::traffic_zero_stage(scenario);
  if (travels_every_micro_batch(zero_stage, op.kind)) {
    const std::int64_t pieces = zero_stage >= kShardedParameters ? std::max<std::int64_t>(1, stage.layers()) : 1;
    const std::int64_t directions = op.kind == OperatorKind::all_gather ? 2 : 1;
    return directions * pieces * model::micro_batches(scenario);
  }
  const Bytes bucket = scenario.stack.gradient_bucket;
  if (!op.overlapped || bucket <= Bytes{0}) return 1;
  return std::max<std::int64_t>(1, (op.bytes.value() + bucket.value() - 1) / bucket.value());
}

StepTime step_time(const model::Scenario& scenario, const cost::Pricer& pricer, const model::Stage& stage,
                   const schedule::StageTime& stage_time) {
  HidingWindows windows = hiding_windows(scenario, stage_time);
  StepTime step;
  std::int64_t launches = 0;
  for (const Operator& op : model::step_operators(scenario, stage)) {
    if (!model::is_communication(op.kind)) {
      step.optimizer += pricer.time(op);
      launches += op.launches;
      continue;
    }
    Seconds time = pricer.time(op);
    Seconds exposed = time;
    if (op.group == Group::data) {
      const std::int64_t messages = data_messages(scenario, stage, op);
      const Seconds message = pricer.communication_time(op, op.bytes / messages);
      time = static_cast<double>(messages) * message;
      exposed = data_exposed(scenario, op, time, message, windows);
      step.data_exposed += exposed;
    } else if (op.group == Group::embedding) {
      step.embedding += time;
    } else {
      step.optimizer += time;
    }
    step.communication[cost::index_of(op.group)].add({time, exposed, op.bytes}, 1);
  }
  const Seconds host = static_cast<double>(launches) * scenario.stack.host.per_launch;
  step.host_wait = std::max(Seconds{0.0}, host - step.optimizer);
  return step;
}

}  // namespace shardsim::engine
