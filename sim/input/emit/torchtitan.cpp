// torchtitan's TOML: torchtitan/config/job_config.py (2025).
#include <algorithm>
#include <string>
#include <vector>

#include "sim/input/emit/parts.hpp"

namespace shardsim::input::emitting {
namespace {

using model::RecomputeGranularity;
using model::Scenario;

std::string line(const std::string& key, std::int64_t value) { return key + " = " + std::to_string(value) + "\n"; }
std::string line(const std::string& key, bool value) { return key + (value ? " = true\n" : " = false\n"); }
std::string line(const std::string& key, const std::string& text) { return key + " = \"" + text + "\"\n"; }

/// Shapes are no keys of the file: they belong to a flavor, registered in Python.
std::string flavor(const Scenario& scenario) {
  const model::Model& model = scenario.model;
  return "# The shape is a flavor of torchtitan/models/llama3: register this as \"shardsim\":\n#   "
         "TransformerModelArgs(dim=" +
         std::to_string(model.hidden_size) + ", n_layers=" + std::to_string(model.num_layers) +
         ", n_heads=" + std::to_string(model.num_attention_heads) +
         ", n_kv_heads=" + std::to_string(model.num_query_groups) + ", vocab_size=" + std::to_string(model.vocab_size) +
         ")   with feed-forward width " + std::to_string(model.ffn_hidden_size) + "\n";
}

/// Settings that neither the file nor the Llama flavor can say.
std::vector<std::string> beyond(const Scenario& scenario) {
  const model::Model& model = scenario.model;
  const model::Parallelism& parallelism = scenario.parallelism;
  const model::Training& training = scenario.training;
  std::vector<std::string> keys;
  const auto unless = [&](bool said, const char* key) {
    if (!said) keys.emplace_back(key);
  };
  unless(model.position_embedding == model::PositionEmbedding::rotary, "model.position_embedding");
  unless(model.normalization == model::Normalization::rms_norm, "model.normalization");
  unless(model.activation == model::Activation::swiglu, "model.activation");
  unless(model.linear_bias == model::LinearBias::none, "model.linear_bias");
  unless(model.output_weights == model::OutputWeights::untied, "model.output_weights");
  unless(model.hidden_dropout == 0.0, "model.hidden_dropout");
  unless(model.attention_dropout == 0.0, "model.attention_dropout");
  unless(parallelism.sequence_parallel || parallelism.tensor_model_parallel_size == 1, "parallelism.sequence_parallel");
  // FSDP shards everything; a data-parallel size replicated as a whole is 0.
  unless(parallelism.zero_stage == 0 || parallelism.zero_stage >= 2, "parallelism.zero_stage");
  const model::Schedule schedule = parallelism.schedule;
  const bool zero_bubble_plan =
      schedule == model::Schedule::zero_bubble_1p || schedule == model::Schedule::zero_bubble_2p;
  unless(!zero_bubble_plan && schedule != model::Schedule::zero_bubble_h1, "parallelism.schedule");
  unless(training.precision != model::DType::fp16, "training.precision");
  unless(training.gradient_dtype == model::DType::fp32, "training.gradient_dtype");
  unless(training.optimizer == model::OptimizerKind::adam, "training.optimizer");
  unless(training.attention_kernel == model::AttentionKernel::flash, "training.attention_kernel");
  const bool cores_only = training.recompute.granularity == RecomputeGranularity::selective;
  unless(!cores_only, "training.recompute.granularity");
  unless(training.offload != model::Offload::optimizer, "training.offload");
  return keys;
}

std::string schedule_name(model::Schedule schedule) {
  switch (schedule) {
    case model::Schedule::gpipe:
      return "GPipe";
    case model::Schedule::interleaved_one_f_one_b:
      return "Interleaved1F1B";
    case model::Schedule::breadth_first:
      return "LoopedBFS";
    default:
      return "1F1B";
  }
}

std::string parallelism_section(const Scenario& scenario) {
  const model::Parallelism& parallelism = scenario.parallelism;
  const std::int64_t replicas =
      parallelism.zero_stage == 0 ? parallelism.data_parallel_size : parallelism.num_distributed_optimizer_instances;
  std::string text = "\n[parallelism]\n";
  text += line("data_parallel_replicate_degree", replicas);
  text += line("data_parallel_shard_degree", parallelism.data_parallel_size / replicas);
  text += line("fsdp_reshard_after_forward", std::string(parallelism.zero_stage == 2 ? "never" : "default"));
  text += line("tensor_parallel_degree", parallelism.tensor_model_parallel_size);
  text += line("enable_async_tensor_parallel", parallelism.overlap.tensor_parallel);
  text += line("context_parallel_degree", parallelism.context_parallel_size);
  text += line("pipeline_parallel_degree", parallelism.pipeline_model_parallel_size);
  if (parallelism.pipeline_model_parallel_size == 1) return text;
  text += line("pipeline_parallel_schedule", schedule_name(parallelism.schedule));
  text += line("pipeline_parallel_microbatch_size", scenario.training.micro_batch_size);
  const std::int64_t pieces =
      parallelism.pipeline_model_parallel_size * parallelism.virtual_pipeline_model_parallel_size;
  return text + line("pipeline_parallel_layers_per_stage", (scenario.model.num_layers + pieces - 1) / pieces);
}

std::string recompute_section(RecomputeGranularity granularity) {
  std::string text = "\n[activation_checkpoint]\n";
  switch (granularity) {
    case RecomputeGranularity::none:
    // Its nearest neighbour keeps everything but the attention core; said in a comment.
    case RecomputeGranularity::selective:
      return text + line("mode", std::string("none"));
    case RecomputeGranularity::full:
      return text + line("mode", std::string("full"));
    case RecomputeGranularity::operators:
      return text + line("mode", std::string("selective")) + line("selective_ac_option", std::string("op"));
  }
  return text;
}

}  // namespace

std::string emit_torchtitan(const Scenario& scenario) {
  const model::Training& training = scenario.training;
  const Nodes nodes = nodes_of(scenario);
  std::string text = headline(scenario) + "\n";
  text += "# torchrun --nproc_per_node " + std::to_string(nodes.per_node) + " --nnodes " + std::to_string(nodes.nodes) +
          " -m torchtitan.train --job.config_file FILE\n" + flavor(scenario);
  for (const std::string& key : beyond(scenario))
    text += not_said(scenario, key, "no key of torchtitan says it") + "\n";
  const bool fp8 = training.precision == model::DType::fp8;
  text += "\n[model]\nname = \"llama3\"\nflavor = \"shardsim\"\n";
  if (fp8) text += "converters = [\"float8\"]\n";
  text += "\n[optimizer]\nname = \"AdamW\"\nlr = 1e-4\n\n[training]\n";
  // With a pipeline, the local batch is what the schedule cuts into micro batches.
  const bool piped = scenario.parallelism.pipeline_model_parallel_size > 1;
  const std::int64_t local = training.global_batch_size / scenario.parallelism.data_parallel_size;
  text += line("local_batch_size", piped ? local : training.micro_batch_size);
  text += line("global_batch_size", training.global_batch_size) + line("seq_len", scenario.model.seq_length);
  const bool mixed = model::storage_size(training.precision) < Bytes{4};
  text += line("mixed_precision_param", std::string(mixed ? "bfloat16" : "float32"));
  text += line("mixed_precision_reduce", std::string("float32"));
  text += line("enable_cpu_offload", training.offload != model::Offload::none);
  text += line("compile", true) + "steps = 100\n";
  text += parallelism_section(scenario) + recompute_section(training.recompute.granularity);
  if (fp8) text += "\n[float8]\n" + line("enable_fsdp_float8_all_gather", scenario.stack.gathers_fp8);
  return text;
}

}  // namespace shardsim::input::emitting
