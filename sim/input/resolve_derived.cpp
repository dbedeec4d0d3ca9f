// Keys that every run needs, and keys that are no fields but say a field in another way.
#include <algorithm>
#include <array>

#include "sim/input/resolve_steps.hpp"
#include "sim/input/schema.hpp"
#include "sim/input/units.hpp"

namespace shardsim::input {
namespace {

/// A derived key's own value: nothing when it was not given or is unreadable (then a problem and unsound).
std::optional<std::int64_t> read_integer(Draft& draft, std::string_view key, std::int64_t smallest) {
  const Setting* setting = draft.find(key);
  if (setting == nullptr || !draft.sound({key})) return {};
  const auto parsed = parse_integer(setting->value);
  const bool good = parsed.value && *parsed.value >= smallest && *parsed.value <= (1 << 20);
  if (good) return parsed.value;
  draft.reject(key, parsed.value ? "must be within " + to_text(smallest) + " … 1048576" : parsed.error);
  draft.distrust(key);
  return {};
}

bool read_flag(Draft& draft, std::string_view key) {
  const Setting* setting = draft.find(key);
  if (setting == nullptr || !draft.sound({key})) return false;
  const auto parsed = parse_bool(setting->value);
  if (!parsed.value) draft.reject(key, parsed.error);
  return parsed.value.value_or(false);
}

struct Required {
  std::string_view key;
  std::string_view advice;
};
constexpr std::array kRequiredOfModel{
    Required{"model.num_layers", "give the number of transformer layers (Megatron: --num-layers)"},
    Required{"model.hidden_size", "give the width of the model (Megatron: --hidden-size)"},
    Required{"model.num_attention_heads", "give the number of heads (Megatron: --num-attention-heads)"},
    Required{"model.seq_length", "give the tokens of a sequence (Megatron: --seq-length)"}};
constexpr Required kMicroBatch{"training.micro_batch_size",
                               "give the sequences of one micro batch (Megatron: --micro-batch-size)"};

void require(Draft& draft, const Required& required) {
  if (draft.given(required.key)) return;
  draft.distrust(required.key);
  // An unknown model preset is a problem already, and would have given the model's values.
  if (required.key.rfind("model.", 0) == 0 && !draft.sound({"model.preset"})) return;
  draft.reject(required.key,
               "is required and missing" + draft.left_open(required.key) + "; " + std::string(required.advice));
}

}  // namespace

void require_values(Draft& draft) {
  for (const Required& required : kRequiredOfModel) require(draft, required);
  const bool micro_follows =
      draft.given("training.global_batch_size") && draft.given("training.gradient_accumulation_steps");
  if (!micro_follows) require(draft, kMicroBatch);
}

void derive_architecture(Draft& draft) {
  auto& scenario = draft.scenario;
  const auto experts = read_integer(draft, "model.num_experts", 0);
  if (experts && *experts > 1) {
    draft.reject("model.num_experts", "mixtures of experts are not modelled; only dense models (1 expert) are");
  }
  const Setting* tokenizer = draft.find("model.tokenizer_type");
  const bool null_tokenizer = tokenizer != nullptr && tokenizer->value == "NullTokenizer";
  if (null_tokenizer && draft.given("model.vocab_size") && draft.sound({"model.vocab_size"})) {
    // NullTokenizer adds an end-of-document token.
    ++scenario.model.vocab_size;
  }
  if (read_flag(draft, "parallelism.use_distributed_optimizer") && draft.sound({"parallelism.zero_stage"})) {
    scenario.parallelism.zero_stage = std::max(scenario.parallelism.zero_stage, 1);
  }
  const int by_stack = scenario.stack.default_zero_stage;
  if (by_stack > 0 && !draft.given("parallelism.use_distributed_optimizer")) {
    draft.assume("parallelism.zero_stage", to_text(std::int64_t{by_stack}),
                 "default of the stack " + scenario.stack.name);
  }
  if (read_flag(draft, "training.accumulate_gradients_in_fp32")) draft.imply("training.gradient_dtype", "fp32");
}

namespace {

/// Megatron-Core's arithmetic: layers (with embedding and loss where they count) / (pp · layers per virtual stage).
void derive_virtual_stages(Draft& draft) {
  constexpr std::string_view kKey = "parallelism.num_layers_per_virtual_pipeline_stage";
  constexpr std::string_view kChunks = "parallelism.virtual_pipeline_model_parallel_size";
  if (!draft.given(kKey)) return;
  const auto per_chunk = read_integer(draft, kKey, 1);
  if (!per_chunk || !draft.sound({"model.num_layers", "parallelism.pipeline_model_parallel_size"})) {
    return draft.distrust(kChunks);
  }
  auto& parallelism = draft.scenario.parallelism;
  const bool uneven =
      parallelism.decoder_first_pipeline_num_layers >= 0 || parallelism.decoder_last_pipeline_num_layers >= 0;
  const std::int64_t stages = parallelism.pipeline_model_parallel_size;
  const std::int64_t layers = draft.scenario.model.num_layers +
                              (parallelism.account_for_embedding_in_pipeline_split ? 1 : 0) +
                              (parallelism.account_for_loss_in_pipeline_split ? 1 : 0);
  std::string problem;
  if (uneven) {
    problem = "cannot go with decoder_first/last_pipeline_num_layers; give virtual_pipeline_model_parallel_size";
  } else if (layers % stages != 0) {
    problem = to_text(layers) + " layers do not divide into " + to_text(stages) + " pipeline stages";
  } else if (layers / stages % *per_chunk != 0) {
    problem = "does not divide the " + to_text(layers / stages) + " layers of a pipeline stage";
  }
  if (!problem.empty()) {
    draft.reject(kKey, problem);
    return draft.distrust(kChunks);
  }
  const std::int64_t chunks = layers / stages / *per_chunk;
  if (draft.given(kChunks) && parallelism.virtual_pipeline_model_parallel_size != chunks) {
    draft.reject(kKey, "means " + to_text(chunks) + " chunks per stage, but virtual_pipeline_model_parallel_size is " +
                           to_text(parallelism.virtual_pipeline_model_parallel_size));
    return draft.distrust(kChunks);
  }
  draft.imply(kChunks, to_text(chunks));
}

constexpr std::array<std::string_view, 3> kModelDegrees{"parallelism.tensor_model_parallel_size",
                                                        "parallelism.context_parallel_size",
                                                        "parallelism.pipeline_model_parallel_size"};

/// tp · cp · pp · dp = GPUs; what is not given follows.
void derive_data_parallel_size(Draft& draft) {
  constexpr std::string_view kGpus = "cluster.gpus";
  constexpr std::string_view kReplicas = "parallelism.data_parallel_size";
  if (!draft.sound({kModelDegrees[0], kModelDegrees[1], kModelDegrees[2], kGpus, kReplicas})) {
    draft.distrust(kReplicas);
    return draft.distrust(kGpus);
  }
  auto& parallelism = draft.scenario.parallelism;
  const std::int64_t tp = parallelism.tensor_model_parallel_size;
  const std::int64_t cp = parallelism.context_parallel_size;
  const std::int64_t pp = parallelism.pipeline_model_parallel_size;
  // At most 2^60: every degree is at most 2^20.
  const std::int64_t model_gpus = tp * cp * pp;
  const std::string product = "tp " + to_text(tp) + " · cp " + to_text(cp) + " · pp " + to_text(pp);
  if (!draft.given(kGpus)) {
    draft.assume(kReplicas, "1", "neither GPUs nor data-parallel size given");
    std::int64_t gpus = 0;
    if (__builtin_mul_overflow(model_gpus, parallelism.data_parallel_size, &gpus)) gpus = INT64_MAX;
    draft.assume(kGpus, to_text(gpus), product + " · dp " + to_text(parallelism.data_parallel_size));
    return;
  }
  const std::int64_t gpus = draft.scenario.gpus;
  if (gpus % model_gpus != 0) {
    draft.reject(kGpus, "is no multiple of " + product + " = " + to_text(model_gpus));
    return draft.distrust(kReplicas);
  }
  if (!draft.given(kReplicas)) return draft.imply(kReplicas, to_text(gpus / model_gpus));
  if (parallelism.data_parallel_size != gpus / model_gpus) {
    draft.reject(kReplicas, product + " · dp " + to_text(parallelism.data_parallel_size) + " are not the " +
                                to_text(gpus) + " GPUs; dp would have to be " + to_text(gpus / model_gpus));
    draft.distrust(kReplicas);
  }
}

/// global batch = micro batch · dp · accumulation steps; the third follows from two.
void derive_batches(Draft& draft) {
  constexpr std::string_view kMicro = "training.micro_batch_size";
  constexpr std::string_view kGlobal = "training.global_batch_size";
  constexpr std::string_view kSteps = "training.gradient_accumulation_steps";
  auto& training = draft.scenario.training;
  const auto steps = read_integer(draft, kSteps, 1);
  if (!draft.sound({kMicro, kGlobal, kSteps, "parallelism.data_parallel_size"})) {
    if (!draft.given(kMicro)) draft.distrust(kMicro);
    if (!draft.given(kGlobal)) draft.distrust(kGlobal);
    return;
  }
  const std::int64_t replicas = draft.scenario.parallelism.data_parallel_size;
  if (!draft.given(kMicro)) {
    // require_values() has seen that the other two are given.
    const std::int64_t per_micro = replicas * *steps;
    if (training.global_batch_size % per_micro == 0) {
      return draft.imply(kMicro, to_text(training.global_batch_size / per_micro));
    }
    draft.reject(kGlobal, "is no multiple of dp " + to_text(replicas) + " · gradient_accumulation_steps " +
                              to_text(*steps) + ", so that no whole micro batch follows");
    return draft.distrust(kMicro);
  }
  const std::int64_t per_step = training.micro_batch_size * replicas;
  if (!draft.given(kGlobal)) {
    const std::string value = to_text(per_step * steps.value_or(1));
    if (steps) return draft.imply(kGlobal, value);
    return draft.assume(kGlobal, value, "micro batch · dp, one micro batch per iteration");
  }
  if (steps && training.global_batch_size != per_step * *steps) {
    draft.reject(kSteps, "does not fit global batch " + to_text(training.global_batch_size) + " = micro batch " +
                             to_text(training.micro_batch_size) + " · dp " + to_text(replicas) + " · steps");
  }
}

}  // namespace

void derive_sizes(Draft& draft) {
  derive_virtual_stages(draft);
  derive_data_parallel_size(draft);
  derive_batches(draft);
}

}  // namespace shardsim::input
