#include "validate/framework_rules.hpp"

#include <array>
#include <utility>

namespace shardsim::validate {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// Longer names first: the first entry that the framework's text contains decides.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kStacks{{
    {"zero-bubble", "megatron-zero-bubble"},
    {"nanotron", "nanotron"},
    {"AA-Scaling", "aleph-alpha-scaling"},
    {"Megatron-DeepSpeed", "megatron-deepspeed"},
    {"DeepSpeedExamples", "megatron-deepspeed"},
    {"HF Trainer", "megatron-deepspeed"},
    {"DeepSpeed", "megatron-deepspeed"},
    {"llm-foundry", "pytorch-fsdp"},
    {"fms", "pytorch-fsdp"},
    {"torchtitan", "torchtitan"},
    {"FSDP", "pytorch-fsdp"},
    {"NeMo", "nemo"},
    {"InternEvo", "internevo"},
    {"OneFlow", "oneflow"},
    {"LAMB", "nvidia-bert"},
    {"Megatron-Core", "megatron-core-te"},
    {"TransformerEngine", "megatron-core-te"},
}};

/// The text of `schedule` in the record, as the program names it.
std::string schedule_name(const std::string& written) {
  if (written == "1F1B") return "one_f_one_b";
  if (written == "1F1B-I") return "interleaved_one_f_one_b";
  if (written == "ZB-H1") return "zero_bubble_h1";
  if (written == "ZB-1p") return "zero_bubble_1p";
  if (written == "ZB-2p" || written == "ZB-H2") return "zero_bubble_2p";
  if (written == "GPipe") return "gpipe";
  return written;
}

void attention(const Json& row, SettingWriter& settings) {
  const std::string kernel = text(row, {"parallel", "attention_kernel"});
  const std::optional<bool> flash = flag(row, {"parallel", "flash_attention"});
  if (!kernel.empty()) {
    const bool fused = contains(kernel, "flash");
    settings.set("training.attention_kernel", std::string{fused ? "flash" : "unfused"});
    // Dao (2023), figure 4: FlashAttention-2 is about twice as fast as the first version.
    if (contains(kernel, "attentionv1")) settings.set("training.attention_slowdown", std::string{"2"});
    // "torch" is composed of single operators; "fused" is Megatron's fused masked softmax.
    settings.set("stack.fusion.masked_softmax", std::optional<bool>{kernel != "torch"});
    settings.set("stack.fusion.normalization", std::optional<bool>{contains(kernel, "RMS kernel")});
  } else if (flash) {
    settings.set("training.attention_kernel", std::string{*flash ? "flash" : "unfused"});
  }
}

void sharding(const Json& row, SettingWriter& settings) {
  const std::optional<std::int64_t> stage = integer(row, {"parallel", "zero_stage"});
  const std::optional<bool> distributed = flag(row, {"parallel", "distributed_optimizer"});
  settings.set("parallelism.zero_stage", stage);
  if (!stage && distributed) settings.set("parallelism.use_distributed_optimizer", distributed);

  const Json* offload = at(row, {"parallel", "offload"});
  if (offload != nullptr && offload->is_array() && !offload->empty()) {
    settings.set("training.offload", std::string{offload->size() > 1 ? "optimizer_and_parameters" : "optimizer"});
  }
}

void recompute(const Json& row, const std::string& stack, SettingWriter& settings) {
  std::string granularity = text(row, {"parallel", "recompute"});
  if (granularity.empty()) {
    settings.assume("training.recompute.granularity", "none", "the source names no recomputation");
    return;
  }
  if (granularity == "selective" && stack == "torchtitan") granularity = "operators";
  settings.set("training.recompute.granularity", granularity);
}

void batch(const Json& row, SettingWriter& settings) {
  const std::optional<std::int64_t> micro = integer(row, {"batch", "micro"});
  const std::optional<std::int64_t> global = integer(row, {"batch", "global"});
  settings.set("training.global_batch_size", global);
  if (micro) {
    settings.set("training.micro_batch_size", micro);
    return;
  }
  const std::int64_t year = integer(row, {"year"}).value_or(0);
  const std::optional<std::int64_t> dp = integer(row, {"parallel", "dp"});
  if (year <= 2020 && global && dp && *dp > 0) {
    settings.assume("training.micro_batch_size", std::to_string(*global / *dp),
                    "no gradient accumulation before 2021: the replica's whole share of the batch");
  } else {
    settings.assume("training.micro_batch_size", "1", "the source names no micro batch");
  }
}

}  // namespace

std::string stack_of(const std::string& framework, int year) {
  for (const auto& [part, stack] : kStacks) {
    if (contains(framework, part)) return std::string{stack};
  }
  if (contains(framework, "Megatron-LM")) {
    if (year <= 2020) return "megatron-lm-2019";
    if (year <= 2021) return "megatron-lm-2021";
    return year == 2022 ? "megatron-lm-2022" : "megatron-core-te";
  }
  return "";
}

std::string usual_cluster(const std::string& device) {
  if (device == "v100-16gb") return "v100-16gb-edr1";
  if (device == "v100-32gb") return "v100-dgx1";
  if (device == "v100-32gb-450w") return "v100-dgx2h";
  if (device == "a100-40gb") return "a100-40gb-dgx";
  if (device == "a100-80gb") return "a100-dgx";
  if (device == "h100-80gb") return "h100-dgx";
  if (device == "h100-96gb-500w") return "h100-96gb-rdma400";
  if (device == "h200-141gb") return "h200-hgx";
  if (device == "b200-180gb") return "b200-dgx";
  if (device == "gb200") return "gb200-nvl";
  return "";
}

void apply_framework_rules(const Json& row, const std::string& stack, SettingWriter& settings) {
  settings.set("stack.preset", stack);
  attention(row, settings);
  sharding(row, settings);
  recompute(row, stack, settings);
  batch(row, settings);

  const std::string schedule = text(row, {"parallel", "schedule"});
  if (!schedule.empty()) settings.set("parallelism.schedule", schedule_name(schedule));

  std::string precision = text(row, {"precision_class"});
  if (precision == "fp16_or_bf16") {
    settings.assume("training.precision", "fp16", "the source says fp16 or bf16");
  } else if (!precision.empty()) {
    settings.set("training.precision", precision);
  }
  if (contains(text(row, {"framework"}), "TransformerEngine")) {
    settings.assume("training.cross_entropy", "fused_te", "SimuMax's runs fuse the loss, as their names (cef) say");
  }
  if (stack == "torchtitan" && text(row, {"hardware", "device"}) == "a100-80gb") {
    // The A100 tables of its documents (April 2024) predate torch.compile as the default of its configurations.
    for (const char* key : {"stack.fusion.bias_activation", "stack.fusion.rotary"}) {
      settings.assume(key, "false", "torchtitan's A100 tables predate compiled layers");
    }
  }
  if (stack == "nvidia-bert") settings.assume("training.optimizer", "lamb", "the NVIDIA BERT examples train with LAMB");
}

}  // namespace shardsim::validate
