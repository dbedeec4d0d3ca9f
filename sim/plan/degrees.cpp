#include "sim/plan/degrees.hpp"

#include <array>

#include "sim/model/layout.hpp"

namespace shardsim::plan {
namespace {

using model::Parallelism;
using model::Scenario;

bool divides(std::int64_t divisor, std::int64_t number) { return number % divisor == 0; }

Reason against_heads(const Scenario& scenario) {
  const model::Model& model = scenario.model;
  const std::int64_t tp = scenario.parallelism.tensor_model_parallel_size;
  if (!divides(tp, model.num_attention_heads)) return Reason::heads;
  if (!divides(tp, model.ffn_hidden_size)) return Reason::ffn;
  if (divides(tp, model.num_query_groups)) return Reason::none;
  const auto split = scenario.stack.layer_split;
  const bool megatron = split == model::LayerSplit::megatron || split == model::LayerSplit::lighter_ends;
  const bool repeated = !megatron && divides(model.num_query_groups, tp);
  return repeated ? Reason::none : Reason::query_groups;
}

Reason against_sequence(const Scenario& scenario) {
  const Parallelism& parallelism = scenario.parallelism;
  const std::int64_t cp = parallelism.context_parallel_size;
  const std::int64_t tp = parallelism.tensor_model_parallel_size;
  if (parallelism.sequence_parallel && tp == 1) return Reason::no_tensor_parallelism;
  const std::int64_t pieces = (cp > 1 ? 2 * cp : 1) * (parallelism.sequence_parallel ? tp : 1);
  if (!divides(pieces, scenario.model.seq_length)) return Reason::sequence;
  const bool heads_travel = cp > 1 && parallelism.cp_comm_type == model::ContextParallelComm::a2a;
  return heads_travel && !divides(tp * cp, scenario.model.num_attention_heads) ? Reason::travelling_heads
                                                                               : Reason::none;
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
  set_degrees(scenario, base, degrees);
  return scenario;
}

void set_degrees(Scenario& scenario, const Scenario& base, const Degrees& degrees) {
  Parallelism& parallelism = scenario.parallelism;
  const std::int64_t group = base.parallelism.microbatch_group_size_per_virtual_pipeline_stage;
  const bool follows = group == base.parallelism.pipeline_model_parallel_size;
  parallelism.microbatch_group_size_per_virtual_pipeline_stage = follows ? degrees.pipeline_model_parallel_size : group;
  parallelism.tensor_model_parallel_size = degrees.tensor_model_parallel_size;
  parallelism.pipeline_model_parallel_size = degrees.pipeline_model_parallel_size;
  parallelism.virtual_pipeline_model_parallel_size = degrees.virtual_pipeline_model_parallel_size;
  parallelism.context_parallel_size = degrees.context_parallel_size;
  parallelism.data_parallel_size = base.gpus / (degrees.tensor_model_parallel_size *
                                                degrees.pipeline_model_parallel_size * degrees.context_parallel_size);
  parallelism.sequence_parallel = degrees.sequence_parallel;
  parallelism.zero_stage = degrees.zero_stage;
  parallelism.schedule = degrees.schedule;
  model::Training& training = scenario.training;
  training.micro_batch_size = degrees.micro_batch_size;
  const bool as_base = degrees.recompute_granularity == base.training.recompute.granularity;
  training.recompute = as_base ? base.training.recompute : model::Recompute{};
  training.recompute.granularity = degrees.recompute_granularity;
}

std::string_view reason_text(Reason reason) {
  constexpr std::array<std::string_view, kReasons> kTexts{
      "",
      "data_parallel_size is not among those asked for",
      "tensor, pipeline and context parallel sizes do not divide the GPUs",
      "global_batch_size is no multiple of micro_batch_size x data_parallel_size",
      "attention heads are no multiple of tensor_model_parallel_size",
      "ffn_hidden_size is no multiple of tensor_model_parallel_size",
      "num_query_groups is no multiple of tensor_model_parallel_size",
      "sequence_parallel without tensor parallelism has no effect",
      "seq_length does not divide over the ranks that share it",
      "attention heads do not divide over tensor and context parallel ranks",
      "ZeRO 2 and 3 do not work with a pipeline in this stack",
      "num_distributed_optimizer_instances does not divide a sharded data-parallel group",
      "virtual stages do not go with the schedule",
      "a single stage has nothing to interleave",
      "fewer micro batches than pipeline stages",
      "micro batches are no multiple of the pipeline stages",
      "microbatch_group_size_per_virtual_pipeline_stage is below the pipeline stages",
      "micro batches leave a remainder that interleaving cannot run",
      "layers do not divide over the pipeline stages"};
  return kTexts[static_cast<std::size_t>(reason)];
}

Reason against_shape(const Scenario& scenario) {
  const Parallelism& parallelism = scenario.parallelism;
  const std::int64_t ranks = parallelism.tensor_model_parallel_size * parallelism.pipeline_model_parallel_size *
                             parallelism.context_parallel_size * parallelism.data_parallel_size;
  if (ranks != scenario.gpus) return Reason::gpus;
  const model::Training& training = scenario.training;
  if (!divides(training.micro_batch_size * parallelism.data_parallel_size, training.global_batch_size)) {
    return Reason::batch;
  }
  const Reason heads = against_heads(scenario);
  return heads != Reason::none ? heads : against_sequence(scenario);
}

Reason against_sharding(const Scenario& scenario) {
  const Parallelism& parallelism = scenario.parallelism;
  const bool piped = parallelism.pipeline_model_parallel_size > 1;
  if (piped && parallelism.zero_stage >= 2 && !scenario.stack.zero_with_pipeline) return Reason::zero_with_pipeline;
  const std::int64_t instances = parallelism.num_distributed_optimizer_instances;
  const bool divided = parallelism.zero_stage > 0 && divides(instances, parallelism.data_parallel_size);
  return instances > 1 && !divided ? Reason::instances : Reason::none;
}

Reason against_schedule(const Scenario& scenario) {
  const Parallelism& parallelism = scenario.parallelism;
  const bool looped = parallelism.schedule == model::Schedule::breadth_first;
  const bool interleaved = looped || parallelism.schedule == model::Schedule::interleaved_one_f_one_b;
  const bool chunked = parallelism.virtual_pipeline_model_parallel_size > 1;
  if (chunked != interleaved) return Reason::schedule;
  if (!chunked) return Reason::none;
  const std::int64_t stages = parallelism.pipeline_model_parallel_size;
  if (stages == 1) return Reason::single_stage;
  const std::int64_t batches = micro_batches(scenario);
  if (looped) return batches >= stages ? Reason::none : Reason::few_micro_batches;
  if (scenario.stack.interleaving == model::InterleavingRule::multiple_of_pipeline) {
    return divides(stages, batches) ? Reason::none : Reason::multiple_of_pipeline;
  }
  const std::int64_t given = parallelism.microbatch_group_size_per_virtual_pipeline_stage;
  const std::int64_t group = given > 0 ? given : stages;
  if (group < stages) return Reason::small_group;
  const std::int64_t rest = batches % group;
  return rest == 0 || rest >= stages ? Reason::none : Reason::remainder;
}

bool is_able(const Scenario& scenario) {
  const model::Abilities& can = scenario.stack.abilities;
  const Parallelism& asked = scenario.parallelism;
  const bool selective = scenario.training.recompute.granularity == model::RecomputeGranularity::selective;
  return (can.tensor_parallel || asked.tensor_model_parallel_size == 1) &&
         (can.pipeline_parallel || asked.pipeline_model_parallel_size == 1) &&
         (can.interleaving || asked.virtual_pipeline_model_parallel_size == 1) &&
         (can.context_parallel || asked.context_parallel_size == 1) &&
         (can.sequence_parallel || !asked.sequence_parallel) && (can.selective_recompute || !selective) &&
         asked.zero_stage <= can.largest_zero_stage;
}

std::string why_impossible(const Scenario& scenario) {
  for (const auto against : {against_shape, against_sharding, against_schedule}) {
    const Reason reason = against(scenario);
    if (reason != Reason::none) return std::string(reason_text(reason));
  }
  const bool splits = model::layout_problem(scenario.model, scenario.parallelism, scenario.stack).empty();
  return splits ? "" : std::string(reason_text(Reason::layers));
}

}  // namespace shardsim::plan
