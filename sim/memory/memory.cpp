#include "sim/memory/memory.hpp"

#include <algorithm>
#include <array>

#include "sim/memory/activations.hpp"
#include "sim/memory/device_use.hpp"
#include "sim/memory/model_state.hpp"
#include "sim/memory/stage_replay.hpp"
#include "sim/model/end_operators.hpp"
#include "sim/model/parameters.hpp"
#include "sim/model/rank_sizes.hpp"

namespace shardsim::memory {
namespace {

/// What lives beside the model state at one moment of the iteration.
struct Moment {
  std::string_view name;
  Bytes activations;
  Bytes temporaries;
  Bytes logits;
  [[nodiscard]] Bytes total() const { return activations + temporaries + logits; }
};

/// Message of the tensor-parallel group's sums, where the list has it.
Bytes summed_gradients(const model::Scenario& scenario, const model::Stage& stage) {
  return sequence_parallel_parameters(scenario, stage) * storage_size(scenario.training.gradient_dtype);
}

/// The passes as the trainer runs them, then the gradients' sums or the optimizer step.
Moment replayed_peak(const model::Scenario& scenario, const std::vector<model::Stage>& stages, std::int64_t index,
                     const ModelState& state) {
  const PassPeak passes = replay_passes(scenario, stages, index);
  const Bytes step =
      std::max(state.step_temporaries, summed_gradients(scenario, stages[static_cast<std::size_t>(index)]));
  if (step > passes.held.total()) return {"optimizer step", Bytes{0}, step, Bytes{0}};
  return {passes.moment, passes.held.activations, passes.held.temporaries, passes.held.logits};
}

/// The largest of: the loss and the output layer's gradients (last stage), a layer's backward with every activation in
/// flight, the optimizer step.
Moment peak_moment(const model::Scenario& scenario, const SavedBytes& saved, const model::RankSizes& sizes,
                   const model::Stage& stage, Bytes in_flight, const ModelState& state) {
  const Bytes activations = in_flight + pipeline_buffers(scenario, sizes);
  const model::RankSizes head = head_sizes(scenario, sizes);
  const Logits loss = stage.has_head() ? logits(scenario, head) : Logits{};
  const Bytes output = stage.has_head() ? output_layer_gradients(scenario, head) : Bytes{0};
  const Bytes kept = kept_logits(scenario, loss);
  const std::array<Moment, 4> moments{
      Moment{"loss", activations, Bytes{0}, loss.peak + kept}, Moment{"output layer", activations, Bytes{0}, output},
      Moment{"backward", activations, backward_temporaries(scenario, saved, sizes, stage), kept},
      Moment{"optimizer step", Bytes{0}, state.step_temporaries, Bytes{0}}};
  Moment peak = moments[1];
  for (const Moment& moment : moments) {
    if (moment.total() > peak.total()) peak = moment;
  }
  return peak;
}

StageMemory stage_memory(const model::Scenario& scenario, const model::RankSizes& sizes, const model::Stage& stage,
                         const ModelState& state, const Moment& peak) {
  StageMemory memory;
  memory.parameters = state.parameters;
  memory.gradients = state.gradients;
  memory.optimizer = state.optimizer;
  memory.activations = peak.activations;
  memory.temporaries = peak.temporaries;
  memory.logits = peak.logits;
  memory.workspace = workspace(scenario) + kept_placeholders(scenario, sizes);
  memory.peak_moment = peak.name;
  memory.peak_allocated = state.parameters + state.gradients + state.optimizer + peak.total() + memory.workspace;
  memory.peak_reserved =
      reserved(scenario.stack, memory.peak_allocated) + ring_attention_blocks(scenario, sizes, stage);
  memory.device_used = memory.peak_reserved + outside_framework(scenario);
  return memory;
}

bool replays(const model::Scenario& scenario) { return scenario.stack.replays_memory && can_replay(scenario); }

/// Of equal neighbours the first has the most in flight.
bool repeats_less(const model::Scenario& scenario, const std::vector<model::Stage>& stages, std::size_t index) {
  return !replays(scenario) && index > 0 && stages[index] == stages[index - 1];
}

StageMemory exact_memory(const model::Scenario& scenario, const SavedBytes& saved, const model::RankSizes& sizes,
                         const std::vector<model::Stage>& stages, std::size_t index) {
  const model::Stage& stage = stages[index];
  const auto number = static_cast<std::int64_t>(index);
  const ModelState state = model_state(scenario, stage);
  const Moment peak = replays(scenario) ? replayed_peak(scenario, stages, number, state)
                                        : peak_moment(scenario, saved, sizes, stage,
                                                      stage_activations(scenario, saved, stage, number), state);
  StageMemory memory = stage_memory(scenario, sizes, stage, state, peak);
  memory.stage = number;
  return memory;
}

}  // namespace

Memory predict_memory(const model::Scenario& scenario, const std::vector<model::Stage>& stages,
                      const SavedBytes& saved) {
  const model::RankSizes sizes{scenario};
  Memory memory;
  memory.device_total = scenario.cluster.device.memory_capacity;
  memory.stages.reserve(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    memory.stages.push_back(exact_memory(scenario, saved, sizes, stages, i));
    if (memory.stages.back().device_used > memory.worst().device_used) {
      memory.worst_stage = static_cast<std::int64_t>(i);
    }
  }
  memory.out_of_memory_probability =
      out_of_memory_probability(memory.worst().device_used, memory.device_total, scenario.stack.error.memory);
  return memory;
}

Bytes most_device_used(const model::Scenario& scenario, const std::vector<model::Stage>& stages,
                       const SavedBytes& saved) {
  const model::RankSizes sizes{scenario};
  Bytes most{0};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (repeats_less(scenario, stages, i)) continue;
    most = std::max(most, exact_memory(scenario, saved, sizes, stages, i).device_used);
  }
  return most;
}

bool uses_too_much(const model::Scenario& scenario, const std::vector<model::Stage>& stages, const SavedBytes& saved,
                   const TooMuch& too_much) {
  if (replays(scenario)) return too_much(most_device_used(scenario, stages, saved));
  const model::RankSizes sizes{scenario};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (repeats_less(scenario, stages, i)) continue;
    const model::Stage& stage = stages[i];
    const ModelState state = model_state(scenario, stage);
    const auto used = [&](Bytes in_flight) {
      const Moment peak = peak_moment(scenario, saved, sizes, stage, in_flight, state);
      return stage_memory(scenario, sizes, stage, state, peak).device_used;
    };
    const ActivationBounds bounds = bound_stage_activations(scenario, saved, stage, static_cast<std::int64_t>(i));
    if (!too_much(used(bounds.most))) continue;
    if (bounds.least == bounds.most || too_much(used(bounds.least))) return true;
    if (too_much(exact_memory(scenario, saved, sizes, stages, i).device_used)) return true;
  }
  return false;
}

}  // namespace shardsim::memory
