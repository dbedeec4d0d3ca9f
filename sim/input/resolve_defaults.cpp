// What a run means where it says nothing. Every value that bears on the numbers is listed as assumed.
#include <algorithm>
#include <array>

#include "sim/input/enum_text.hpp"
#include "sim/input/resolve_steps.hpp"
#include "sim/input/units.hpp"

namespace shardsim::input {
namespace {

struct Default {
  std::string_view key;
  std::string_view value;
};

constexpr std::array kBert{Default{"model.attention_mask", "bidirectional"},
                           Default{"model.output_head", "masked_lm_and_binary"}, Default{"model.num_token_types", "2"}};
constexpr std::array kLlama{Default{"model.normalization", "rms_norm"}, Default{"model.activation", "swiglu"},
                            Default{"model.position_embedding", "rotary"}, Default{"model.output_weights", "untied"},
                            Default{"model.linear_bias", "none"}};
constexpr std::array kMpt{Default{"model.position_embedding", "alibi"}, Default{"model.linear_bias", "none"}};

template <class Defaults>
void imply_all(Draft& draft, const Defaults& defaults) {
  for (const Default& value : defaults) draft.imply(value.key, value.value);
}

void imply_family(Draft& draft) {
  switch (draft.scenario.model.family) {
    case model::Family::gpt:
      return;
    case model::Family::bert:
      return imply_all(draft, kBert);
    case model::Family::llama:
      return imply_all(draft, kLlama);
    case model::Family::mpt:
      return imply_all(draft, kMpt);
  }
}

void assume_dropout(Draft& draft) {
  const model::Family family = draft.scenario.model.family;
  const bool none = family == model::Family::llama || family == model::Family::mpt;
  const std::string reason = "usual for " + std::string(choice_text(family));
  for (const std::string_view key : {"model.hidden_dropout", "model.attention_dropout"}) {
    draft.assume(key, none ? "0" : "0.1", reason);
  }
}

/// Megatron-LM's widths: 4h, or for gated activations two thirds of it in steps of 64.
std::int64_t default_ffn(const model::Model& model) {
  if (model.activation != model::Activation::swiglu) return 4 * model.hidden_size;
  return std::max<std::int64_t>(1, 4 * model.hidden_size * 2 / 3 / 64) * 64;
}

void assume_head_size(Draft& draft) {
  const auto& model = draft.scenario.model;
  if (draft.given("model.kv_channels")) return;
  const bool known = draft.sound({"model.hidden_size", "model.num_attention_heads"});
  if (known && model.hidden_size % model.num_attention_heads != 0) {
    draft.reject("model.hidden_size",
                 "is no multiple of the " + to_text(model.num_attention_heads) +
                     " attention heads; give kv_channels, the size of one head, where that is meant");
    return draft.distrust("model.kv_channels");
  }
  draft.imply("model.kv_channels", {"model.hidden_size", "model.num_attention_heads"},
              [&] { return to_text(model.hidden_size / model.num_attention_heads); });
}

/// The device's best 16-bit format.
std::string default_precision(const hardware::Device& device) {
  const auto has = [&](model::DType format) {
    return device.gemm[static_cast<std::size_t>(format)].peak.value() > 0.0;
  };
  if (has(model::DType::bf16)) return "bf16";
  return has(model::DType::fp16) ? "fp16" : "fp32";
}

std::string default_gradient_dtype(const model::Scenario& scenario) {
  switch (scenario.training.precision) {
    case model::DType::fp32:
    case model::DType::tf32:
      return "fp32";
    case model::DType::fp16:
      return std::string(choice_text(scenario.stack.gradient_dtype_fp16));
    case model::DType::bf16:
    case model::DType::fp8:
      return std::string(choice_text(scenario.stack.gradient_dtype_bf16));
  }
  return "fp32";
}

}  // namespace

void assume_model(Draft& draft) {
  const auto& model = draft.scenario.model;
  draft.assume("model.family", "gpt", "no model family given");
  imply_family(draft);
  const bool bert = model.family == model::Family::bert;
  draft.assume("model.vocab_size", bert ? "30522" : "50257", bert ? "BERT's vocabulary" : "GPT-2's vocabulary");
  draft.assume("model.make_vocab_size_divisible_by", "128", "Megatron's default padding");
  draft.assume(
      "model.max_position_embeddings", {"model.seq_length"}, [&] { return to_text(model.seq_length); }, "seq_length");
  draft.assume(
      "model.ffn_hidden_size", {"model.hidden_size", "model.activation"}, [&] { return to_text(default_ffn(model)); },
      model.activation == model::Activation::swiglu ? "8/3 · hidden_size, a multiple of 64" : "4 · hidden_size");
  draft.imply("model.num_query_groups", {"model.num_attention_heads"},
              [&] { return to_text(model.num_attention_heads); });
  assume_head_size(draft);
  assume_dropout(draft);
  draft.imply("model.name", "custom");
  const Setting* name = draft.find("name");
  draft.scenario.name = name != nullptr ? name->value : model.name;
}

void assume_training(Draft& draft) {
  const auto& scenario = draft.scenario;
  const auto& stack = scenario.stack;
  const std::string by_stack = "default of the stack " + stack.name;
  draft.assume(
      "training.precision", {"device.preset", "cluster.preset"},
      [&] { return default_precision(scenario.cluster.device); }, "mixed precision in the device's 16-bit format");
  const bool fp32_sums = draft.sound({"training.accumulate_gradients_in_fp32"}) &&
                         draft.given("training.accumulate_gradients_in_fp32") &&
                         draft.find("training.accumulate_gradients_in_fp32")->value == "true";
  if (!fp32_sums) {
    draft.assume(
        "training.gradient_dtype", {"training.precision", "stack.preset"},
        [&] { return default_gradient_dtype(scenario); }, by_stack);
  }
  draft.assume("training.optimizer", choice_text(stack.default_optimizer), by_stack);
  draft.assume("training.attention_kernel", choice_text(stack.default_attention_kernel), by_stack);
  draft.assume("training.cross_entropy", choice_text(stack.default_cross_entropy), by_stack);
  draft.assume("training.recompute.granularity", "none", "no recomputation given");
}

void assume_parallelism(Draft& draft) {
  auto& parallelism = draft.scenario.parallelism;
  const auto& overlap = draft.scenario.stack.default_overlap;
  const std::string by_stack = "default of the stack " + draft.scenario.stack.name;
  const auto from_stack = [&](std::string_view key, bool value, bool matters) {
    if (matters) {
      draft.assume(key, to_text(value), by_stack);
    } else {
      draft.imply(key, to_text(value));
    }
  };
  const bool replicated = parallelism.data_parallel_size > 1;
  from_stack("parallelism.overlap.grad_reduce", overlap.grad_reduce, replicated);
  from_stack("parallelism.overlap.param_gather", overlap.param_gather, replicated && parallelism.zero_stage > 0);
  from_stack("parallelism.overlap.tensor_parallel", overlap.tensor_parallel,
             parallelism.tensor_model_parallel_size > 1);
  from_stack("parallelism.overlap.pipeline", overlap.pipeline, parallelism.pipeline_model_parallel_size > 1);
  draft.imply("parallelism.schedule", {"parallelism.virtual_pipeline_model_parallel_size"}, [&] {
    return parallelism.virtual_pipeline_model_parallel_size > 1 ? "interleaved_one_f_one_b" : "one_f_one_b";
  });
  if (parallelism.microbatch_group_size_per_virtual_pipeline_stage == 0) {
    parallelism.microbatch_group_size_per_virtual_pipeline_stage = parallelism.pipeline_model_parallel_size;
  }
  if (parallelism.sequence_parallel && parallelism.tensor_model_parallel_size == 1) {
    parallelism.sequence_parallel = false;
    draft.warn("sequence_parallel has no effect with tensor_model_parallel_size 1; it is switched off");
  }
}

}  // namespace shardsim::input
