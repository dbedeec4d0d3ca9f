// Which software stack the flags belong to, from the names that only one generation knows.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "sim/input/megatron/rules.hpp"

namespace shardsim::input::megatron {
namespace {

constexpr std::array<std::string_view, 4> kZeroBubble = {"enable-zero-bubble", "zero-bubble-v-schedule",
                                                         "enable-zb-runtime", "zero-bubble-max-pending-backward"};

constexpr std::array<std::string_view, 6> kDeepSpeed = {"deepspeed",
                                                        "deepspeed-config",
                                                        "zero-stage",
                                                        "deepspeed-activation-checkpointing",
                                                        "no-pipeline-parallel",
                                                        "ds-sequence-parallel-size"};

constexpr std::array<std::string_view, 34> kCore = {"use-mcore-models",
                                                    "deprecated-use-mcore-models",
                                                    "attention-backend",
                                                    "overlap-grad-reduce",
                                                    "overlap-param-gather",
                                                    "context-parallel-size",
                                                    "cp-comm-type",
                                                    "ckpt-format",
                                                    "dist-ckpt-format",
                                                    "use-dist-ckpt",
                                                    "auto-detect-ckpt-format",
                                                    "async-save",
                                                    "norm-epsilon",
                                                    "spec",
                                                    "num-virtual-stages-per-pipeline-rank",
                                                    "microbatch-group-size-per-virtual-pipeline-stage",
                                                    "microbatch-group-size-per-vp-stage",
                                                    "decoder-first-pipeline-num-layers",
                                                    "decoder-last-pipeline-num-layers",
                                                    "account-for-embedding-in-pipeline-split",
                                                    "account-for-loss-in-pipeline-split",
                                                    "num-distributed-optimizer-instances",
                                                    "cross-entropy-loss-fusion",
                                                    "cross-entropy-fusion-impl",
                                                    "use-megatron-fsdp",
                                                    "use-custom-fsdp",
                                                    "use-torch-fsdp2",
                                                    "tp-comm-overlap",
                                                    "use-tp-pp-dp-mapping",
                                                    "recompute-modules",
                                                    "deterministic-mode",
                                                    "manual-gc",
                                                    "mock-data",
                                                    "disable-gloo-process-groups"};

constexpr std::array<std::string_view, 11> kSecond = {"checkpoint-activations",
                                                      "checkpoint-num-layers",
                                                      "activations-checkpoint-method",
                                                      "activations-checkpoint-num-layers",
                                                      "distribute-checkpointed-activations",
                                                      "ddp-impl",
                                                      "no-contiguous-buffers-in-local-ddp",
                                                      "use-contiguous-buffers-in-local-ddp",
                                                      "data-impl",
                                                      "mmap-warmup",
                                                      "no-query-key-layer-scaling"};

/// The first of the names that was given; "" = none.
template <std::size_t n>
std::string first_given(const FlagSet& flags, const std::array<std::string_view, n>& names) {
  const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view name) { return flags.names(name); });
  return found == names.end() ? std::string() : "--" + std::string(*found);
}

/// v1: one model-parallel size, "batch size" means a model-parallel group's.
std::string first_generation(const FlagSet& flags) {
  const bool later = flags.names("micro-batch-size") || flags.names("tensor-model-parallel-size");
  if (later) return "";
  return first_given(flags, std::array<std::string_view, 2>{"model-parallel-size", "batch-size"});
}

}  // namespace

void translate_generation(const FlagSet& flags, Output& output) {
  const auto choose = [&](const char* stack, const std::string& sign) {
    output.assume("stack.preset", stack, sign.empty() ? "no flag tells the generation" : "the flags hold " + sign);
  };
  const std::string implementation = flags.value("transformer-impl");
  const std::string core = first_given(flags, kCore);
  if (const std::string sign = first_given(flags, kZeroBubble); !sign.empty()) {
    choose("megatron-zero-bubble", sign);
  } else if (const std::string deepspeed = first_given(flags, kDeepSpeed); !deepspeed.empty()) {
    choose("megatron-deepspeed", deepspeed);
  } else if (const std::string first = first_generation(flags); !first.empty()) {
    choose("megatron-lm-2019", first);
  } else if (flags.on("use-legacy-models")) {
    choose("megatron-lm-2021", "--use-legacy-models");
  } else if (const std::string second = first_given(flags, kSecond); !second.empty() && core.empty()) {
    choose("megatron-lm-2021", second);
  } else if (flags.value("spec") == "local") {
    choose("megatron-core-local", "--spec local");
  } else if (const FlagSet::Entry* const entry = flags.find("transformer-impl")) {
    const std::string stack = output.choice(*entry, implementation);
    if (!stack.empty()) choose(stack.c_str(), "--transformer-impl " + implementation);
  } else {
    choose("megatron-core-te", core);
  }
}

}  // namespace shardsim::input::megatron
