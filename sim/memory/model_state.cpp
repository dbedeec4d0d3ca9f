#include "sim/memory/model_state.hpp"

#include "sim/model/parameters.hpp"

namespace shardsim::memory {
namespace {

using model::Training;

/// Bytes of each part for one parameter, unsharded.
struct PerParameter {
  std::int64_t parameter;
  std::int64_t gradient;
  std::int64_t optimizer;
  std::int64_t step;
};

PerParameter per_parameter(const model::Scenario& scenario) {
  const Training& training = scenario.training;
  const model::Stack& stack = scenario.stack;
  const std::int64_t stored = storage_size(training.precision).value();
  PerParameter bytes{stored, storage_size(training.gradient_dtype).value(), 0, 0};
  bytes.optimizer = training.optimizer == model::OptimizerKind::sgd ? 4 : 8;
  if (needs_master_weights(training.precision)) {
    if (stack.separate_master_weights) {
      bytes.optimizer += 4;
    } else {
      bytes.parameter = 4;
    }
  }
  if (stack.keeps_low_precision_gradients && bytes.gradient > stored) bytes.gradient += stored;
  const bool copies_gradients = stack.fp32_gradient_copy_at_step && bytes.gradient < 4;
  if (copies_gradients && scenario.parallelism.zero_stage >= 1) bytes.optimizer += 4;  // kept as the shard's own buffer
  if (copies_gradients && scenario.parallelism.zero_stage == 0) bytes.step += 4;
  if (!stack.fusion.optimizer) bytes.step += 4;  // update of one whole tensor list at a time
  return bytes;
}

Bytes ceil_share(std::int64_t parameters, std::int64_t bytes, std::int64_t shards) {
  return Bytes{(parameters + shards - 1) / shards * bytes};
}

}  // namespace

Shards shards(const model::Parallelism& parallelism) {
  const std::int64_t group = parallelism.data_parallel_size * parallelism.context_parallel_size /
                             parallelism.num_distributed_optimizer_instances;
  Shards result;
  if (parallelism.zero_stage >= 1) result.optimizer = group;
  if (parallelism.zero_stage >= 2) result.gradients = group;
  if (parallelism.zero_stage >= 3) result.parameters = group;
  return result;
}

ModelState model_state(const model::Scenario& scenario, const model::Stage& stage) {
  const std::int64_t parameters = model::rank_parameters(scenario, stage);
  const PerParameter bytes = per_parameter(scenario);
  const Shards over = shards(scenario.parallelism);
  ModelState state;
  const bool whole = over.parameters > 1 && model::traffic_zero_stage(scenario) < scenario.parallelism.zero_stage;
  state.parameters = ceil_share(parameters, bytes.parameter, over.parameters);
  if (whole) state.parameters += Bytes{parameters * storage_size(scenario.training.precision).value()};
  state.gradients = ceil_share(parameters, bytes.gradient, whole ? 1 : over.gradients);
  state.optimizer = ceil_share(parameters, bytes.optimizer, over.optimizer);
  state.step_temporaries = ceil_share(parameters, bytes.step, over.optimizer);
  if (scenario.training.offload != model::Offload::none) {
    state.optimizer = Bytes{0};
    state.step_temporaries = Bytes{0};
  }
  if (scenario.training.offload == model::Offload::optimizer_and_parameters) state.parameters = Bytes{0};
  return state;
}

double bytes_per_parameter(const model::Scenario& scenario) {
  const PerParameter bytes = per_parameter(scenario);
  const Shards over = shards(scenario.parallelism);
  const auto share = [](std::int64_t part, std::int64_t n) {
    return static_cast<double>(part) / static_cast<double>(n);
  };
  return share(bytes.parameter, over.parameters) + share(bytes.gradient, over.gradients) +
         share(bytes.optimizer, over.optimizer);
}

}  // namespace shardsim::memory
