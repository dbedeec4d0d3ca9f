#include <string>

#include "sim/input/megatron/rules.hpp"

namespace shardsim::input::megatron {
namespace {

void translate_precision(const FlagSet& flags, Output& output) {
  const FlagSet::Entry* const fp8 = flags.find("fp8-format");
  const FlagSet::Entry* const fp16 = flags.on("fp16") ? flags.find("fp16") : nullptr;
  const FlagSet::Entry* const bf16 = flags.on("bf16") ? flags.find("bf16") : nullptr;
  if (fp16 != nullptr && bf16 != nullptr) output.problem(*bf16, "--fp16 and --bf16 exclude each other: give one");
  if (fp8 != nullptr) {
    if (const std::string value = output.choice(*fp8, flags.value("fp8-format")); !value.empty()) {
      output.give("training.precision", value, *fp8);
    }
  } else if (flags.on("fp8-hybrid") || flags.on("fp8-e4m3")) {
    output.give("training.precision", "fp8", *flags.find(flags.on("fp8-hybrid") ? "fp8-hybrid" : "fp8-e4m3"));
  } else if (bf16 != nullptr) {
    output.give("training.precision", "bf16", *bf16);
  } else if (fp16 != nullptr) {
    output.give("training.precision", "fp16", *fp16);
  } else {
    output.assume("training.precision", "fp32", "neither --fp16 nor --bf16 is given");
  }
}

/// The switch that recomputes whole layers in the generation at hand.
const FlagSet::Entry* full_recompute(const FlagSet& flags) {
  if (flags.on("checkpoint-activations")) return flags.find("checkpoint-activations");
  return flags.find("activations-checkpoint-method");
}

void translate_recompute(const FlagSet& flags, Output& output) {
  const FlagSet::Entry* const granularity = flags.find("recompute-granularity");
  const FlagSet::Entry* const full = full_recompute(flags);
  if (granularity != nullptr) {
    const std::string value = output.choice(*granularity, flags.value("recompute-granularity"));
    if (!value.empty()) output.give("training.recompute.granularity", value, *granularity);
  } else if (full != nullptr) {
    output.give("training.recompute.granularity", "full", *full);
    const bool method_given =
        flags.find("recompute-method") != nullptr || full->flag->canonical != "checkpoint-activations";
    if (!method_given) output.give("training.recompute.method", "uniform", *full);
  } else if (flags.on("recompute-activations")) {
    output.give("training.recompute.granularity", "selective", *flags.find("recompute-activations"));
  } else if (flags.on("deepspeed-activation-checkpointing")) {
    output.warn(*flags.find("deepspeed-activation-checkpointing"), "has no effect without --checkpoint-activations");
  }
  if (const FlagSet::Entry* const modules = flags.find("recompute-modules")) {
    output.give("training.recompute.modules", flags.value("recompute-modules"), *modules);
  }
}

std::string environment(const Given& given, const char* name) {
  const auto found = given.environment.find(name);
  return found == given.environment.end() ? std::string() : found->second;
}

/// Flags first; then Transformer Engine's variables; else the stack decides.
void translate_attention(const FlagSet& flags, const Given& given, Output& output) {
  constexpr const char* kKey = "training.attention_kernel";
  const FlagSet::Entry* const backend = flags.find("attention-backend");
  const std::string text = flags.value("attention-backend");
  if (backend != nullptr && text != "auto") {
    if (const std::string value = output.choice(*backend, text); !value.empty()) output.give(kKey, value, *backend);
    return;
  }
  if (flags.on("use-flash-attn")) return output.give(kKey, "flash", *flags.find("use-flash-attn"));
  const std::string flash = environment(given, "NVTE_FLASH_ATTN");
  const std::string fused = environment(given, "NVTE_FUSED_ATTN");
  if (flash == "1" || fused == "1") {
    output.assume(kKey, "flash", flash == "1" ? "NVTE_FLASH_ATTN=1" : "NVTE_FUSED_ATTN=1");
  } else if (flash == "0" && fused == "0") {
    output.assume(kKey, "unfused", "NVTE_FLASH_ATTN=0 and NVTE_FUSED_ATTN=0");
  }
}

void translate_cross_entropy(const FlagSet& flags, Output& output) {
  if (!flags.on("cross-entropy-loss-fusion")) return;
  const FlagSet::Entry* const implementation = flags.find("cross-entropy-fusion-impl");
  const std::string value = implementation == nullptr
                                ? "fused_native"
                                : output.choice(*implementation, flags.value("cross-entropy-fusion-impl"));
  if (!value.empty()) output.give("training.cross_entropy", value, *flags.find("cross-entropy-loss-fusion"));
}

/// GeLU and SwiGLU have a flag each; the one of the activation at hand counts.
void translate_activation_fusion(const FlagSet& flags, Output& output) {
  const std::string kind = flags.on("swiglu") ? "bias-swiglu-fusion" : "bias-gelu-fusion";
  const bool biases = !flags.on("disable-bias-linear") && !flags.off("add-bias-linear");
  const FlagSet::Entry* const removed = flags.find("no-" + kind);
  if (removed != nullptr && flags.on("no-" + kind)) {
    output.give("stack.fusion.bias_activation", "false", *removed);
  } else if (flags.off(kind) && biases) {
    output.give("stack.fusion.bias_activation", "false", *flags.find(kind));
  }
}

}  // namespace

void translate_training(const FlagSet& flags, const Given& given, Output& output) {
  translate_precision(flags, output);
  translate_recompute(flags, output);
  translate_attention(flags, given, output);
  translate_cross_entropy(flags, output);
  translate_activation_fusion(flags, output);
}

}  // namespace shardsim::input::megatron
