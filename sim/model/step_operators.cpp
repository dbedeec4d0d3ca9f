// What a stage runs once per iteration around its micro batches.
#include "sim/model/operator_builders.hpp"
#include "sim/model/operators.hpp"
#include "sim/model/parameters.hpp"
#include "sim/model/step_builders.hpp"

namespace shardsim::model {
namespace {

/// Reads gradient, master weight and both moments, writes the last three and the stored weight (Adam, LAMB);
/// SGD with momentum has one moment.
std::int64_t optimizer_bytes_per_parameter(const Training& training) {
  const std::int64_t moments = training.optimizer == OptimizerKind::sgd ? 1 : 2;
  const std::int64_t stored = storage_size(training.precision).value();
  const std::int64_t master = needs_master_weights(training.precision) ? 8 : stored;
  return storage_size(training.gradient_dtype).value() + master + 8 * moments + stored;
}

Operator data_parallel(const Scenario& scenario, OperatorKind kind, std::string_view name, Bytes bytes,
                       bool overlapped) {
  Operator op = communicate(kind, name, Pass::step, Group::data, bytes);
  op.dtype = scenario.training.gradient_dtype;
  op.overlapped = overlapped;
  return op;
}

Bytes gradient_bytes(const Scenario& scenario, std::int64_t elements) {
  return Bytes{elements * storage_size(scenario.training.gradient_dtype).value()};
}

}  // namespace

Operator gradient_reduction(const Scenario& scenario, OperatorKind kind, std::int64_t elements) {
  const bool whole = kind == OperatorKind::all_reduce;
  return data_parallel(scenario, kind, whole ? "gradient_all_reduce" : "gradient_reduce_scatter",
                       gradient_bytes(scenario, elements), scenario.parallelism.overlap.grad_reduce);
}

Operator parameter_gather(const Scenario& scenario, std::int64_t elements) {
  const bool in_fp8 = scenario.stack.gathers_fp8 && scenario.training.precision == DType::fp8;
  const Bytes weights{elements * (in_fp8 ? 1 : storage_size(scenario.training.precision).value())};
  return data_parallel(scenario, OperatorKind::all_gather, "parameter_all_gather", weights,
                       scenario.parallelism.overlap.param_gather);
}

Operator sequence_parallel_gradients(const Scenario& scenario, std::int64_t elements) {
  return communicate(OperatorKind::all_reduce, "sequence_parallel_gradients", Pass::step, Group::tensor,
                     gradient_bytes(scenario, elements));
}

Operator embedding_gradients(const Scenario& scenario, std::int64_t elements) {
  return communicate(OperatorKind::all_reduce, "embedding_gradient_all_reduce", Pass::step, Group::embedding,
                     gradient_bytes(scenario, elements));
}

Operator gradient_clipping(const Scenario& scenario, std::int64_t own) {
  const std::int64_t passes = scenario.stack.fusion.gradient_clipping ? 1 : 3;
  return memory_bound(OperatorKind::elementwise, "gradient_clipping", Pass::step, scenario.training.gradient_dtype, own,
                      1, passes * gradient_bytes(scenario, own));
}

Operator gradient_norm() {
  return communicate(OperatorKind::all_reduce, "gradient_norm", Pass::step, Group::model, Bytes{4});
}

Operator optimizer_update(const Scenario& scenario, std::int64_t own) {
  return memory_bound(OperatorKind::optimizer, "optimizer_step", Pass::step, DType::fp32, own, 1,
                      Bytes{own * optimizer_bytes_per_parameter(scenario.training)});
}

Operator zero_gradients(const Scenario& scenario, std::int64_t elements) {
  return memory_bound(OperatorKind::elementwise, "zero_gradients", Pass::step, scenario.training.gradient_dtype,
                      elements, 1, gradient_bytes(scenario, elements));
}

std::vector<Operator> step_operators(const Scenario& scenario, const Stage& stage) {
  const Parallelism& parallelism = scenario.parallelism;
  const std::int64_t parameters = rank_parameters(scenario, stage);
  const std::int64_t replicas = parallelism.data_parallel_size * parallelism.context_parallel_size;
  const std::int64_t shards =
      parallelism.zero_stage >= 1 ? replicas / parallelism.num_distributed_optimizer_instances : 1;
  const std::int64_t own = parameters / shards;

  std::vector<Operator> list;
  list.reserve(9);
  if (replicas > 1) {
    const int zero_stage = traffic_zero_stage(scenario);
    const bool sharded = zero_stage >= 1;
    list.push_back(
        gradient_reduction(scenario, sharded ? OperatorKind::reduce_scatter : OperatorKind::all_reduce, parameters));
    // ZeRO-2 reduces in every micro batch (Rajbhandari et al. 2020, section 7).
    if (zero_stage >= 2) list.back().bytes = micro_batches(scenario) * list.back().bytes;
    if (parallelism.zero_stage >= 1 && parallelism.num_distributed_optimizer_instances > 1) {
      list.push_back(data_parallel(scenario, OperatorKind::all_reduce, "gradient_all_reduce_between_instances",
                                   gradient_bytes(scenario, parameters) / shards, false));
    }
  }
  const std::int64_t partial = sequence_parallel_parameters(scenario, stage);
  if (partial > 0 && scenario.stack.lists_sequence_parallel_gradients) {
    list.push_back(sequence_parallel_gradients(scenario, partial));
  }
  const bool shares_embedding = parallelism.pipeline_model_parallel_size > 1 &&
                                scenario.model.output_weights == OutputWeights::tied &&
                                (stage.has_embedding() || stage.has_head());
  if (shares_embedding) list.push_back(embedding_gradients(scenario, word_embedding_per_rank(scenario)));
  list.push_back(gradient_clipping(scenario, own));
  if (replicas * parallelism.tensor_model_parallel_size * parallelism.pipeline_model_parallel_size > 1) {
    list.push_back(gradient_norm());
  }
  list.push_back(optimizer_update(scenario, own));
  if (!scenario.stack.fusion.optimizer) {
    // One kernel of each of the update's ten steps per tensor; a layer has about twelve tensors.
    constexpr std::int64_t kKernelsPerLayer = 120;
    list.back().launches = static_cast<int>(kKernelsPerLayer * stage.layers());
  }
  if (replicas > 1 && parallelism.zero_stage >= 1) {
    list.push_back(parameter_gather(scenario, parameters));
    // ZeRO-3 gathers for the forward and again for the backward pass of every micro batch (ibid.).
    if (traffic_zero_stage(scenario) >= 3) list.back().bytes = 2 * micro_batches(scenario) * list.back().bytes;
  }
  list.push_back(zero_gradients(scenario, parameters));
  return list;
}

}  // namespace shardsim::model
