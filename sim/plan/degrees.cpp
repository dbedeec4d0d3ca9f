#include "sim/plan/degrees.hpp"

#include "sim/model/layout.hpp"

namespace shardsim::plan {
namespace {

using model::Parallelism;
using model::Scenario;

bool divides(std::int64_t divisor, std::int64_t number) { return number % divisor == 0; }

std::string heads_problem(const Scenario& scenario) {
  const model::Model& model = scenario.model;
  const std::int64_t tp = scenario.parallelism.tensor_model_parallel_size;
  if (!divides(tp, model.num_attention_heads)) return "attention heads are no multiple of tensor_model_parallel_size";
  if (!divides(tp, model.ffn_hidden_size)) return "ffn_hidden_size is no multiple of tensor_model_parallel_size";
  if (divides(tp, model.num_query_groups)) return "";
  const auto split = scenario.stack.layer_split;
  const bool megatron = split == model::LayerSplit::megatron || split == model::LayerSplit::lighter_ends;
  const bool repeated = !megatron && divides(model.num_query_groups, tp);
  return repeated ? "" : "num_query_groups is no multiple of tensor_model_parallel_size";
}

std::string sequence_problem(const Scenario& scenario) {
  const Parallelism& parallelism = scenario.parallelism;
  const std::int64_t cp = parallelism.context_parallel_size;
  const std::int64_t tp = parallelism.tensor_model_parallel_size;
  if (parallelism.sequence_parallel && tp == 1) return "sequence_parallel without tensor parallelism has no effect";
  const std::int64_t pieces = (cp > 1 ? 2 * cp : 1) * (parallelism.sequence_parallel ? tp : 1);
  if (!divides(pieces, scenario.model.seq_length)) return "seq_length does not divide over the ranks that share it";
  const bool heads_travel = cp > 1 && parallelism.cp_comm_type == model::ContextParallelComm::a2a;
  if (heads_travel && !divides(tp * cp, scenario.model.num_attention_heads)) {
    return "attention heads do not divide over tensor and context parallel ranks";
  }
  return "";
}

std::string interleaving_problem(const Scenario& scenario) {
  const Parallelism& parallelism = scenario.parallelism;
  const bool looped = parallelism.schedule == model::Schedule::breadth_first;
  const bool interleaved = looped || parallelism.schedule == model::Schedule::interleaved_one_f_one_b;
  const bool chunked = parallelism.virtual_pipeline_model_parallel_size > 1;
  if (chunked != interleaved) return "virtual stages do not go with the schedule";
  if (!chunked) return "";
  const std::int64_t stages = parallelism.pipeline_model_parallel_size;
  if (stages == 1) return "a single stage has nothing to interleave";
  const std::int64_t batches = micro_batches(scenario);
  if (looped) return batches >= stages ? "" : "fewer micro batches than pipeline stages";
  if (scenario.stack.interleaving == model::InterleavingRule::multiple_of_pipeline) {
    return divides(stages, batches) ? "" : "micro batches are no multiple of the pipeline stages";
  }
  const std::int64_t given = parallelism.microbatch_group_size_per_virtual_pipeline_stage;
  const std::int64_t group = given > 0 ? given : stages;
  if (group < stages) return "microbatch_group_size_per_virtual_pipeline_stage is below the pipeline stages";
  const std::int64_t rest = batches % group;
  return rest == 0 || rest >= stages ? "" : "micro batches leave a remainder that interleaving cannot run";
}

std::string sharding_problem(const Scenario& scenario) {
  const Parallelism& parallelism = scenario.parallelism;
  const bool piped = parallelism.pipeline_model_parallel_size > 1;
  if (piped && parallelism.zero_stage >= 2 && !scenario.stack.zero_with_pipeline) {
    return "ZeRO 2 and 3 do not work with a pipeline in this stack";
  }
  const std::int64_t instances = parallelism.num_distributed_optimizer_instances;
  if (instances > 1 && (parallelism.zero_stage == 0 || !divides(instances, parallelism.data_parallel_size))) {
    return "num_distributed_optimizer_instances does not divide a sharded data-parallel group";
  }
  return "";
}

}  // namespace

Degrees degrees_of(const Scenario& scenario) {
  const Parallelism& parallelism = scenario.parallelism;
  return {parallelism.tensor_model_parallel_size,
          parallelism.pipeline_model_parallel_size,
          parallelism.virtual_pipeline_model_parallel_size,
          parallelism.context_parallel_size,
          scenario.training.micro_batch_size,
          scenario.training.recompute.granularity,
          parallelism.sequence_parallel,
          parallelism.zero_stage,
          parallelism.schedule};
}

Scenario with_degrees(const Scenario& base, const Degrees& degrees) {
  Scenario scenario = base;
  Parallelism& parallelism = scenario.parallelism;
  std::int64_t& group = parallelism.microbatch_group_size_per_virtual_pipeline_stage;
  if (group == parallelism.pipeline_model_parallel_size) group = degrees.pipeline_model_parallel_size;
  parallelism.tensor_model_parallel_size = degrees.tensor_model_parallel_size;
  parallelism.pipeline_model_parallel_size = degrees.pipeline_model_parallel_size;
  parallelism.virtual_pipeline_model_parallel_size = degrees.virtual_pipeline_model_parallel_size;
  parallelism.context_parallel_size = degrees.context_parallel_size;
  parallelism.data_parallel_size = base.gpus / (degrees.tensor_model_parallel_size *
                                                degrees.pipeline_model_parallel_size * degrees.context_parallel_size);
  parallelism.sequence_parallel = degrees.sequence_parallel;
  parallelism.zero_stage = degrees.zero_stage;
  parallelism.schedule = degrees.schedule;
  scenario.training.micro_batch_size = degrees.micro_batch_size;
  if (degrees.recompute_granularity != base.training.recompute.granularity) {
    scenario.training.recompute = {};
    scenario.training.recompute.granularity = degrees.recompute_granularity;
  }
  return scenario;
}

std::string why_impossible(const Scenario& scenario) {
  const Parallelism& parallelism = scenario.parallelism;
  const std::int64_t ranks = parallelism.tensor_model_parallel_size * parallelism.pipeline_model_parallel_size *
                             parallelism.context_parallel_size * parallelism.data_parallel_size;
  if (ranks != scenario.gpus) return "tensor, pipeline and context parallel sizes do not divide the GPUs";
  const auto& training = scenario.training;
  if (!divides(training.micro_batch_size * parallelism.data_parallel_size, training.global_batch_size)) {
    return "global_batch_size is no multiple of micro_batch_size x data_parallel_size";
  }
  for (const auto problem : {heads_problem, sequence_problem, sharding_problem, interleaving_problem}) {
    std::string text = problem(scenario);
    if (!text.empty()) return text;
  }
  const bool splits = model::layout_problem(scenario.model, parallelism, scenario.stack).empty();
  return splits ? "" : "layers do not divide over the pipeline stages";
}

}  // namespace shardsim::plan
