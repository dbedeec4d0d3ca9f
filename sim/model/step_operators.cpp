// What a stage runs once per iteration around its micro batches.
#include "sim/model/operator_builders.hpp"
#include "sim/model/operators.hpp"
#include "sim/model/parameters.hpp"

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

}  // namespace

std::vector<Operator> step_operators(const Scenario& scenario, const Stage& stage) {
  const Parallelism& parallelism = scenario.parallelism;
  const Training& training = scenario.training;
  const std::int64_t parameters = rank_parameters(scenario, stage);
  const Bytes gradients{parameters * storage_size(training.gradient_dtype).value()};
  const bool in_fp8 = scenario.stack.gathers_fp8 && training.precision == DType::fp8;
  const Bytes weights{parameters * (in_fp8 ? 1 : storage_size(training.precision).value())};
  const std::int64_t replicas = parallelism.data_parallel_size * parallelism.context_parallel_size;
  const std::int64_t shards =
      parallelism.zero_stage >= 1 ? replicas / parallelism.num_distributed_optimizer_instances : 1;
  const std::int64_t passes = micro_batches(scenario);

  std::vector<Operator> list;
  const auto communicate_data = [&](OperatorKind kind, std::string_view name, Bytes bytes, bool overlapped) {
    list.push_back(communicate(kind, name, Pass::step, Group::data, bytes));
    list.back().dtype = training.gradient_dtype;
    list.back().overlapped = overlapped;
  };
  if (replicas > 1) {
    const Overlap& overlap = parallelism.overlap;
    switch (traffic_zero_stage(scenario)) {
      case 0:
        communicate_data(OperatorKind::all_reduce, "gradient_all_reduce", gradients, overlap.grad_reduce);
        break;
      case 1:
        communicate_data(OperatorKind::reduce_scatter, "gradient_reduce_scatter", gradients, overlap.grad_reduce);
        communicate_data(OperatorKind::all_gather, "parameter_all_gather", weights, overlap.param_gather);
        break;
      case 2:
        communicate_data(OperatorKind::reduce_scatter, "gradient_reduce_scatter", passes * gradients,
                         overlap.grad_reduce);
        communicate_data(OperatorKind::all_gather, "parameter_all_gather", weights, overlap.param_gather);
        break;
      default:
        // Parameters are gathered for the forward and again for the backward pass (Rajbhandari et al. 2020, section 7).
        communicate_data(OperatorKind::reduce_scatter, "gradient_reduce_scatter", passes * gradients,
                         overlap.grad_reduce);
        communicate_data(OperatorKind::all_gather, "parameter_all_gather", 2 * passes * weights, overlap.param_gather);
        break;
    }
    if (parallelism.zero_stage >= 1 && parallelism.num_distributed_optimizer_instances > 1) {
      communicate_data(OperatorKind::all_reduce, "gradient_all_reduce_between_instances", gradients / shards, false);
    }
  }
  const bool shares_embedding = parallelism.pipeline_model_parallel_size > 1 &&
                                scenario.model.output_weights == OutputWeights::tied &&
                                (stage.has_embedding() || stage.has_head());
  if (shares_embedding) {
    list.push_back(
        communicate(OperatorKind::all_reduce, "embedding_gradient_all_reduce", Pass::step, Group::embedding,
                    Bytes{word_embedding_per_rank(scenario) * storage_size(training.gradient_dtype).value()}));
  }
  if (replicas * parallelism.tensor_model_parallel_size * parallelism.pipeline_model_parallel_size > 1) {
    list.push_back(communicate(OperatorKind::all_reduce, "gradient_norm", Pass::step, Group::model, Bytes{4}));
  }
  const std::int64_t own = parameters / shards;
  // Norm (one read) and clipping (read and write) of the gradients, then the update itself.
  list.push_back(memory_bound(OperatorKind::elementwise, "gradient_clipping", Pass::step, training.gradient_dtype, own,
                              1, 3 * gradients / shards));
  list.push_back(memory_bound(OperatorKind::optimizer, "optimizer_step", Pass::step, DType::fp32, own, 1,
                              Bytes{own * optimizer_bytes_per_parameter(training)}));
  list.push_back(memory_bound(OperatorKind::elementwise, "zero_gradients", Pass::step, training.gradient_dtype,
                              parameters, 1, gradients));
  if (!scenario.stack.fusion.optimizer) {
    // One kernel of each of the update's ten steps per tensor; a layer has about twelve tensors.
    constexpr std::int64_t kKernelsPerLayer = 120;
    list[list.size() - 2].launches = static_cast<int>(kKernelsPerLayer * stage.layers());
  }
  return list;
}

}  // namespace shardsim::model
