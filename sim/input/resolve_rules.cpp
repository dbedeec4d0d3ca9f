// Rules between values of the model, its division and its batch. Every broken one is a problem of its own.
#include <algorithm>
#include <string>

#include "sim/input/enum_text.hpp"
#include "sim/input/resolve_steps.hpp"
#include "sim/input/units.hpp"
#include "sim/model/layout.hpp"

namespace shardsim::input {
namespace {

constexpr std::string_view kTensor = "parallelism.tensor_model_parallel_size";
constexpr std::string_view kPipeline = "parallelism.pipeline_model_parallel_size";
constexpr std::string_view kChunks = "parallelism.virtual_pipeline_model_parallel_size";
constexpr std::string_view kContext = "parallelism.context_parallel_size";
constexpr std::string_view kReplicas = "parallelism.data_parallel_size";
constexpr std::string_view kMicro = "training.micro_batch_size";
constexpr std::string_view kGlobal = "training.global_batch_size";

/// `key`'s value must be a multiple of `divisor`, which is called `name`.
void must_divide(Draft& draft, std::string_view key, std::int64_t value, std::int64_t divisor,
                 const std::string& name) {
  if (value % divisor == 0) return;
  draft.reject(key, to_text(value) + " is no multiple of " + name + " = " + to_text(divisor) + "; " +
                        (value > divisor ? to_text(value / divisor * divisor) + " or " : "") +
                        to_text((value / divisor + 1) * divisor) + " would be");
}

void check_heads(Draft& draft) {
  constexpr std::string_view kHeads = "model.num_attention_heads";
  constexpr std::string_view kGroups = "model.num_query_groups";
  const auto& model = draft.scenario.model;
  const auto& parallelism = draft.scenario.parallelism;
  const std::int64_t tp = parallelism.tensor_model_parallel_size;
  if (draft.sound({kHeads, kTensor})) {
    must_divide(draft, kHeads, model.num_attention_heads, tp, "tensor_model_parallel_size");
  }
  if (draft.sound({kHeads, kGroups}) && model.num_attention_heads % model.num_query_groups != 0) {
    draft.reject(kGroups, "does not divide the " + to_text(model.num_attention_heads) + " attention heads");
  }
  const bool grouped = draft.given(kGroups) && model.num_query_groups < model.num_attention_heads;
  if (!grouped || !draft.sound({kHeads, kGroups, kTensor, "stack.preset"}) || model.num_query_groups % tp == 0) return;
  const auto split = draft.scenario.stack.layer_split;
  const bool megatron = split == model::LayerSplit::megatron || split == model::LayerSplit::lighter_ends;
  if (megatron || tp % model.num_query_groups != 0) {
    draft.reject(kGroups, "is no multiple of tensor_model_parallel_size = " + to_text(tp));
  } else {
    draft.warn("num_query_groups " + to_text(model.num_query_groups) + " < tensor_model_parallel_size " + to_text(tp) +
               ": key/value heads are held several times");
  }
}

void check_sequence(Draft& draft) {
  constexpr std::string_view kSequence = "model.seq_length";
  const auto& scenario = draft.scenario;
  const auto& parallelism = scenario.parallelism;
  const std::int64_t tp = parallelism.tensor_model_parallel_size;
  const std::int64_t cp = parallelism.context_parallel_size;
  if (!draft.sound({kSequence, kTensor, kContext})) return;
  const bool sharded = parallelism.sequence_parallel;
  if (cp > 1) {
    const std::int64_t pieces = 2 * cp * (sharded ? tp : 1);
    must_divide(draft, kSequence, scenario.model.seq_length, pieces,
                sharded ? "2 · context_parallel_size · tensor_model_parallel_size" : "2 · context_parallel_size");
  } else if (sharded) {
    must_divide(draft, kSequence, scenario.model.seq_length, tp, "tensor_model_parallel_size (sequence_parallel)");
  }
  const bool heads_travel = parallelism.cp_comm_type == model::ContextParallelComm::a2a && cp > 1;
  if (heads_travel && draft.sound({"model.num_attention_heads"})) {
    must_divide(draft, "model.num_attention_heads", scenario.model.num_attention_heads, tp * cp,
                "tensor_model_parallel_size · context_parallel_size (cp_comm_type a2a)");
  }
  const bool learned = scenario.model.position_embedding == model::PositionEmbedding::learned;
  if (learned && draft.sound({"model.max_position_embeddings"}) &&
      scenario.model.max_position_embeddings < scenario.model.seq_length) {
    draft.reject("model.max_position_embeddings", "is smaller than seq_length = " + to_text(scenario.model.seq_length));
  }
}

/// The work and the bytes of one iteration must stay within 64-bit integers, whatever the layout.
void check_magnitude(Draft& draft) {
  constexpr double kLargest = 4e18;
  // Bytes per element that live at once, all kinds together.
  constexpr double kBytesPerElement = 64.0;
  const auto& model = draft.scenario.model;
  if (!draft.sound({"model.num_layers", "model.hidden_size", "model.ffn_hidden_size", "model.num_attention_heads",
                    "model.kv_channels", "model.seq_length", "model.vocab_size", kTensor, kMicro, kGlobal,
                    kReplicas})) {
    return;
  }
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const double sequences =
      std::max(real(draft.scenario.training.micro_batch_size),
               real(draft.scenario.training.global_batch_size) / real(draft.scenario.parallelism.data_parallel_size));
  const double heads = real(model.num_attention_heads);
  const double width =
      2 * real(model.hidden_size) + 2 * real(model.ffn_hidden_size) + 3 * heads * real(model.kv_channels);
  // The vocabulary is padded to a multiple of this times tp, in the worst case by a whole one.
  const double vocabulary = real(model.vocab_size) + real(model.make_vocab_size_divisible_by) *
                                                         real(draft.scenario.parallelism.tensor_model_parallel_size);
  const double tokens = sequences * real(model.seq_length);
  const double activations = tokens * (real(model.num_layers) * width + vocabulary);
  const double scores = tokens * real(model.seq_length) * heads * real(model.num_layers);
  const double weights = real(model.hidden_size) * (real(model.num_layers) * width + vocabulary);
  if (weights * kBytesPerElement > kLargest) {
    draft.reject("model.hidden_size", "gives a model too large to compute with these layers, widths and vocabulary");
  } else if (std::max(activations, scores) * kBytesPerElement > kLargest) {
    draft.reject("model.seq_length", "gives activations too large to compute with this batch, these heads and layers");
  }
}

void check_batch(Draft& draft) {
  if (!draft.sound({kMicro, kGlobal, kReplicas})) return;
  const auto& training = draft.scenario.training;
  const std::int64_t per_step = training.micro_batch_size * draft.scenario.parallelism.data_parallel_size;
  must_divide(draft, kGlobal, training.global_batch_size, per_step, "micro_batch_size · data_parallel_size");
}

void check_interleaving(Draft& draft) {
  constexpr std::string_view kGroup = "parallelism.microbatch_group_size_per_virtual_pipeline_stage";
  const auto& parallelism = draft.scenario.parallelism;
  const std::int64_t chunks = parallelism.virtual_pipeline_model_parallel_size;
  const std::int64_t stages = parallelism.pipeline_model_parallel_size;
  if (!draft.sound({kChunks, kPipeline, "parallelism.schedule"})) return;
  const bool looped = parallelism.schedule == model::Schedule::breadth_first;
  const bool interleaved = looped || parallelism.schedule == model::Schedule::interleaved_one_f_one_b;
  if (chunks > 1 && !interleaved) {
    draft.reject("parallelism.schedule", "runs one chunk per stage, but virtual_pipeline_model_parallel_size is " +
                                             to_text(chunks) + "; interleaved_one_f_one_b would be right");
  }
  if (interleaved && chunks == 1) {
    draft.reject("parallelism.schedule", "needs virtual_pipeline_model_parallel_size > 1");
  }
  if (chunks == 1) return;
  const bool by_layers = draft.given("parallelism.num_layers_per_virtual_pipeline_stage");
  if (stages == 1) {
    draft.reject(by_layers ? "parallelism.num_layers_per_virtual_pipeline_stage" : kChunks,
                 "needs pipeline_model_parallel_size > 1: a single stage has nothing to interleave");
    return;
  }
  if (!draft.sound({kMicro, kGlobal, kReplicas, kGroup, "stack.preset"})) return;
  const std::int64_t per_step = draft.scenario.training.micro_batch_size * parallelism.data_parallel_size;
  if (draft.scenario.training.global_batch_size % per_step != 0) return;
  const std::int64_t batches = draft.scenario.training.global_batch_size / per_step;
  const std::string count = to_text(batches) + " micro batches per iteration";
  if (looped) {
    if (batches >= stages) return;
    draft.reject(kGlobal, count + " are fewer than the " + to_text(stages) +
                              " pipeline stages, which the breadth_first schedule needs at least");
    return;
  }
  if (draft.scenario.stack.interleaving == model::InterleavingRule::multiple_of_pipeline) {
    if (batches % stages == 0) return;
    draft.reject(kGlobal, count + " are no multiple of the " + to_text(stages) +
                              " pipeline stages, as this stack's interleaved schedule needs");
    return;
  }
  const std::int64_t group = parallelism.microbatch_group_size_per_virtual_pipeline_stage;
  if (group < stages) {
    draft.reject(kGroup, "must be at least pipeline_model_parallel_size = " + to_text(stages));
    return;
  }
  const std::int64_t rest = batches % group;
  if (rest == 0 || rest >= stages) return;
  draft.reject(kGlobal, count + " leave a remainder of " + to_text(rest) + " after groups of " + to_text(group) +
                            "; interleaving needs 0 or at least the " + to_text(stages) + " pipeline stages");
}

void check_layers(Draft& draft) {
  if (!draft.sound({"model.num_layers", kPipeline, kChunks, "stack.preset",
                    "parallelism.decoder_first_pipeline_num_layers", "parallelism.decoder_last_pipeline_num_layers"})) {
    return;
  }
  const auto& scenario = draft.scenario;
  const std::string problem = model::layout_problem(scenario.model, scenario.parallelism, scenario.stack);
  if (!problem.empty()) draft.reject("model.num_layers", problem);
}

void check_sharding(Draft& draft) {
  if (draft.scenario.training.offload != model::Offload::none) {
    draft.warn(
        "CPU offload counts in memory only: transfers and the optimizer on the CPU take more time than predicted");
  }
  constexpr std::string_view kZero = "parallelism.zero_stage";
  constexpr std::string_view kInstances = "parallelism.num_distributed_optimizer_instances";
  const auto& parallelism = draft.scenario.parallelism;
  if (!draft.sound({kZero})) return;
  const bool piped = draft.sound({kPipeline, "stack.preset"}) && parallelism.pipeline_model_parallel_size > 1;
  if (piped && parallelism.zero_stage >= 2 && !draft.scenario.stack.zero_with_pipeline) {
    draft.reject(kZero, "does not work with a pipeline in this stack; use 0 or 1, or pipeline_model_parallel_size 1");
  }
  const std::int64_t instances = parallelism.num_distributed_optimizer_instances;
  if (!draft.sound({kInstances, kReplicas}) || instances == 1) return;
  if (parallelism.zero_stage == 0) {
    draft.reject(kInstances, "needs a sharded optimizer (use_distributed_optimizer, or zero_stage from 1)");
  } else if (parallelism.data_parallel_size % instances != 0) {
    draft.reject(kInstances, "does not divide data_parallel_size = " + to_text(parallelism.data_parallel_size));
  }
}

}  // namespace

void check_shapes(Draft& draft) {
  check_heads(draft);
  if (draft.sound({"model.ffn_hidden_size", kTensor})) {
    must_divide(draft, "model.ffn_hidden_size", draft.scenario.model.ffn_hidden_size,
                draft.scenario.parallelism.tensor_model_parallel_size, "tensor_model_parallel_size");
  }
  check_sequence(draft);
  check_magnitude(draft);
}

void check_batch_and_pipeline(Draft& draft) {
  check_batch(draft);
  check_layers(draft);
  check_interleaving(draft);
  check_sharding(draft);
}

}  // namespace shardsim::input
