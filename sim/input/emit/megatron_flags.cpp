// Names and generations: megatron/arguments.py (v1.0, v2.5, v3.0.2), megatron/training/arguments.py (Core 0.9 to 0.14),
// arguments.py of microsoft/Megatron-DeepSpeed and of sail-sg/zero-bubble-pipeline-parallelism.
#include "sim/input/emit/megatron_flags.hpp"

#include <algorithm>

#include "sim/base/check.hpp"
#include "sim/input/emit/parts.hpp"

namespace shardsim::input::emitting {
namespace {

using megatron::find_flag;
using megatron::ModelledFlag;
using model::DType;
using model::RecomputeGranularity;
using model::Scenario;

const ModelledFlag& modelled(std::string_view name) {
  const megatron::KnownFlag* known = find_flag(name);
  SHARDSIM_CHECK(known != nullptr && known->modelled != nullptr, "no modelled flag " + std::string(name));
  return *known->modelled;
}

/// The text by which a flag asks for a setting's value; "" = it cannot.
std::string value_text(const ModelledFlag& flag, const std::string& value) {
  const std::vector<megatron::Choice> choices = megatron::choices_of(flag.canonical);
  if (choices.empty()) return value;
  for (const megatron::Choice& choice : choices) {
    if (choice.value == value) return std::string(choice.text);
  }
  return "";
}

class Writer {
 public:
  Writer(const Scenario& scenario, Generations generation) : scenario_{scenario}, generation_{generation} {}

  [[nodiscard]] bool knows(Generations known) const { return (known & generation_) != 0; }

  void add(Generations known, Subject subject, const std::string& text) {
    if (knows(known)) flags.push_back({subject, "--" + text});
  }

  void add(const WrittenFlag& written) {
    const ModelledFlag& flag = modelled(written.name);
    const std::string value = text_of(scenario_, flag.key);
    if (flag.arity == megatron::Arity::none) {
      if (value == flag.on) add(written.known, written.subject, std::string(written.name));
      return;
    }
    const std::string text = value == written.unless ? "" : value_text(flag, value);
    if (!text.empty()) add(written.known, written.subject, std::string(written.name) + " " + text);
  }

  void add_architecture();
  void add_vocabulary();
  void add_virtual_stages();
  void add_schedule();
  void add_sharding();
  void add_precision();
  void add_recompute();
  void add_kernels();

  std::vector<Flag> flags;

 private:
  const Scenario& scenario_;
  Generations generation_;
};

void Writer::add_architecture() {
  const model::Model& model = scenario_.model;
  constexpr Subject kSubject = Subject::architecture;
  if (model.num_query_groups != model.num_attention_heads) {
    add(kZeroBubble | kCore, kSubject,
        "group-query-attention --num-query-groups " + std::to_string(model.num_query_groups));
  }
  if (model.normalization == model::Normalization::rms_norm) {
    add(kZeroBubble | kCore, kSubject, "normalization RMSNorm");
    add(kDeepSpeed, kSubject, "normalization rmsnorm");
  }
  if (model.position_embedding == model::PositionEmbedding::rotary) {
    add(kZeroBubble | kCore, kSubject, "position-embedding-type rope");
    add(kV3 | kDeepSpeed, kSubject, "use-rotary-position-embeddings");
  } else if (model.position_embedding == model::PositionEmbedding::none) {
    add(kZeroBubble | kCore, kSubject, "position-embedding-type none");
    add(kV3 | kDeepSpeed, kSubject, "no-position-embedding");
  }
  const bool bert = model.family == model::Family::bert;
  if (bert && model.output_head == model::OutputHead::masked_lm) add(kSinceV2, kSubject, "bert-no-binary-head");
}

/// Where the tokenizer's files decide the vocabulary, the null tokenizer stands for one of the right size; it adds one
/// token to the size that it is given.
void Writer::add_vocabulary() {
  const std::int64_t size = scenario_.model.vocab_size;
  const bool bert = scenario_.model.family == model::Family::bert;
  if (bert) {
    add(kSinceV2, Subject::vocabulary, "tokenizer-type BertWordPieceLowerCase");
    add(kSince2023, Subject::vocabulary, "vocab-size " + std::to_string(size));
  } else if (size > 1 && knows(kSince2023)) {
    add(kSince2023, Subject::vocabulary, "tokenizer-type NullTokenizer --vocab-size " + std::to_string(size - 1));
  } else {
    add(kAll, Subject::vocabulary, "tokenizer-type GPT2BPETokenizer");
  }
}

void Writer::add_virtual_stages() {
  const std::int64_t pieces =
      scenario_.parallelism.virtual_pipeline_model_parallel_size * scenario_.parallelism.pipeline_model_parallel_size;
  if (scenario_.parallelism.virtual_pipeline_model_parallel_size == 1) return;
  const std::int64_t group = scenario_.parallelism.microbatch_group_size_per_virtual_pipeline_stage;
  if (group > 0 && group != scenario_.parallelism.pipeline_model_parallel_size) {
    add(kCore, Subject::layout, "microbatch-group-size-per-virtual-pipeline-stage " + std::to_string(group));
  }
  if (scenario_.model.num_layers % pieces != 0) return;
  add(kV2 | kV3 | kZeroBubble, Subject::layout,
      "num-layers-per-virtual-pipeline-stage " + std::to_string(scenario_.model.num_layers / pieces));
}

void Writer::add_schedule() {
  const std::int64_t stages = scenario_.parallelism.pipeline_model_parallel_size;
  const auto pending = [&](std::int64_t most) {
    add(kZeroBubble, Subject::layout,
        "enable-zero-bubble --zero-bubble-max-pending-backward " + std::to_string(most) +
            " --allow-padding-num-layers");
  };
  switch (scenario_.parallelism.schedule) {
    case model::Schedule::zero_bubble_h1:
      return add(kZeroBubble, Subject::layout, "enable-zbh1-pipeline --allow-padding-num-layers");
    case model::Schedule::zero_bubble_1p:
      return pending(stages);
    case model::Schedule::zero_bubble_2p:
      return pending(2 * stages);
    default:
      return;
  }
}

void Writer::add_sharding() {
  const int stage = scenario_.parallelism.zero_stage;
  if (stage >= 1) add(kV3 | kZeroBubble | kCore, Subject::sharding, "use-distributed-optimizer");
  if (stage < 2) return;
  const std::string strategy = stage == 2 ? "optim_grads" : "optim_grads_params";
  add(kCore, Subject::sharding,
      "use-megatron-fsdp --data-parallel-sharding-strategy " + strategy + " --ckpt-format fsdp_dtensor");
}

void Writer::add_precision() {
  constexpr Subject kSubject = Subject::precision;
  const model::Training& training = scenario_.training;
  const bool fp8 = training.precision == DType::fp8;
  if (training.precision == DType::fp16) add(kAll, kSubject, "fp16");
  if (training.precision == DType::bf16 || (fp8 && knows(kCore))) add(kSinceV2, kSubject, "bf16");
  if (fp8) add(kCore, kSubject, "fp8-format hybrid");
  const bool mixed = model::storage_size(training.precision) < Bytes{4};
  if (mixed && training.gradient_dtype == DType::fp32) add(kSinceV2, kSubject, "accumulate-allreduce-grads-in-fp32");
  if (mixed && training.gradient_dtype == DType::bf16) add(kCore, kSubject, "grad-reduce-in-bf16");
  // LAMB is no optimizer of Megatron-LM.
  if (training.optimizer != model::OptimizerKind::lamb) {
    add(kSinceV2, kSubject, "optimizer " + text_of(scenario_, "training.optimizer"));
  }
  if (training.offload != model::Offload::none) {
    add(kCore, kSubject, "optimizer-cpu-offload");
    add(kDeepSpeed, kSubject, "cpu-optimizer");
  }
  if (training.offload == model::Offload::optimizer_and_parameters) add(kDeepSpeed, kSubject, "remote-device cpu");
}

void Writer::add_recompute() {
  constexpr Subject kSubject = Subject::recompute;
  const model::Recompute& recompute = scenario_.training.recompute;
  const std::string layers = std::to_string(recompute.num_layers);
  const std::string method = text_of(scenario_, "training.recompute.method");
  if (recompute.granularity == RecomputeGranularity::full) {
    add(kV1 | kDeepSpeed, kSubject, "checkpoint-activations --checkpoint-num-layers " + layers);
    add(kDeepSpeed, kSubject, "deepspeed-activation-checkpointing");
    add(kV2, kSubject, "activations-checkpoint-method " + method + " --activations-checkpoint-num-layers " + layers);
    add(kV3 | kZeroBubble | kCore, kSubject,
        "recompute-granularity full --recompute-method " + method + " --recompute-num-layers " + layers);
    if (!recompute.distribute_saved_activations) return;
    add(kV2, kSubject, "distribute-checkpointed-activations");
    add(kV3 | kZeroBubble | kCore, kSubject, "distribute-saved-activations");
    add(kDeepSpeed, kSubject, "partition-activations");
  } else if (recompute.granularity == RecomputeGranularity::selective) {
    add(kV3 | kZeroBubble | kDeepSpeed | kCore, kSubject, "recompute-granularity selective");
    add(kCore, kSubject, "recompute-modules " + text_of(scenario_, "training.recompute.modules"));
  }
}

void Writer::add_kernels() {
  constexpr Subject kSubject = Subject::kernels;
  const bool local = scenario_.stack.name == "megatron-core-local" || scenario_.stack.name == "shardsim";
  const bool flash = scenario_.training.attention_kernel == model::AttentionKernel::flash;
  add(kCore, kSubject, std::string("transformer-impl ") + (local ? "local" : "transformer_engine"));
  add(kCore, kSubject, std::string("attention-backend ") + (flash ? "flash" : local ? "local" : "unfused"));
  if (flash) add(kV3 | kZeroBubble | kDeepSpeed, kSubject, "use-flash-attn");
  const model::CrossEntropy loss = scenario_.training.cross_entropy;
  if (loss == model::CrossEntropy::fused_native || loss == model::CrossEntropy::fused_te) {
    const bool native = loss == model::CrossEntropy::fused_native;
    add(kCore, kSubject,
        std::string("cross-entropy-loss-fusion --cross-entropy-fusion-impl ") + (native ? "native" : "te"));
  }
}

}  // namespace

std::vector<Flag> megatron_flags(const Scenario& scenario, Generations generation) {
  Writer writer{scenario, generation};
  for (const WrittenFlag& written : kWrittenFlags) writer.add(written);
  writer.add_architecture();
  writer.add_vocabulary();
  writer.add_virtual_stages();
  writer.add_schedule();
  writer.add_sharding();
  writer.add_precision();
  writer.add_recompute();
  writer.add_kernels();
  std::stable_sort(writer.flags.begin(), writer.flags.end(),
                   [](const Flag& a, const Flag& b) { return a.subject < b.subject; });
  return std::move(writer.flags);
}

Flag taking_away(const Scenario& scenario, std::string_view key, Generations generation) {
  // One flag for each activation; the tables hold no setting for them.
  if (key == "stack.fusion.bias_activation" && !scenario.stack.fusion.bias_activation) {
    const bool gated = scenario.model.activation == model::Activation::swiglu;
    if ((generation & (gated ? kCore : kSinceV2)) == 0) return {};
    return {Subject::kernels, gated ? "--no-bias-swiglu-fusion" : "--no-bias-gelu-fusion"};
  }
  for (const WrittenFlag& written : kTakingAway) {
    const ModelledFlag& flag = modelled(written.name);
    const bool known = (written.known & generation) != 0;
    if (known && flag.key == key && text_of(scenario, key) == flag.on) {
      return {written.subject, "--" + std::string(written.name)};
    }
  }
  return {};
}

bool has_flag_for(std::string_view key, Generations generation) {
  if (key == "parallelism.virtual_pipeline_model_parallel_size") return (generation & ~(kV1 | kDeepSpeed)) != 0;
  return std::any_of(std::begin(kWrittenFlags), std::end(kWrittenFlags), [&](const WrittenFlag& written) {
    return (written.known & generation) != 0 && modelled(written.name).key == key;
  });
}

}  // namespace shardsim::input::emitting
