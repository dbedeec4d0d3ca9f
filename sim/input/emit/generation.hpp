// The generations of Megatron-LM and which of them knows a flag.
#pragma once

#include <string_view>

#include "sim/input/megatron/flag_table.hpp"

namespace shardsim::input::emitting {

/// One bit each, so that a flag's generations are a sum.
using Generations = unsigned;
/// v1 (2019), v2 (2021), v3 (2022), the zero-bubble fork (of 2023), Megatron-DeepSpeed, Megatron-Core.
inline constexpr Generations kV1 = 1;
inline constexpr Generations kV2 = 2;
inline constexpr Generations kV3 = 4;
inline constexpr Generations kZeroBubble = 8;
inline constexpr Generations kDeepSpeed = 16;
inline constexpr Generations kCore = 32;
inline constexpr Generations kSinceV2 = kV2 | kV3 | kZeroBubble | kDeepSpeed | kCore;
inline constexpr Generations kSinceV3 = kV3 | kZeroBubble | kDeepSpeed | kCore;
inline constexpr Generations kSince2023 = kZeroBubble | kDeepSpeed | kCore;
inline constexpr Generations kAll = kV1 | kSinceV2;

/// The generation whose flags a stack reads; stacks that are no Megatron-LM take Megatron-Core's.
[[nodiscard]] constexpr Generations generation_of(std::string_view stack) {
  struct Known {
    std::string_view stack;
    Generations generation;
  };
  constexpr Known kKnown[] = {{"megatron-lm-2019", kV1},
                              {"megatron-lm-2021", kV2},
                              {"megatron-lm-2022", kV3},
                              {"megatron-zero-bubble", kZeroBubble},
                              {"megatron-deepspeed", kDeepSpeed}};
  for (const Known& known : kKnown) {
    if (known.stack == stack) return known.generation;
  }
  return kCore;
}

/// Subjects of flags; those of one subject stand on one line of a script.
enum class Subject { shape, architecture, vocabulary, layout, sharding, batch, precision, recompute, kernels };
inline constexpr int kSubjects = 9;

/// A flag that is written wherever its generation knows it. What it means stands in the table of modelled flags alone.
struct WrittenFlag {
  /// As in that table.
  std::string_view name;
  Generations known = kAll;
  Subject subject = Subject::shape;
  /// The setting's value at which the flag is left out: Megatron's own default; "" = never.
  std::string_view unless;
};

/// Flags of one setting each, in the order in which they are written. Switches are written where the setting has the
/// value that they turn on.
inline constexpr WrittenFlag kWrittenFlags[] = {
    {"num-layers", kAll, Subject::shape, ""},
    {"hidden-size", kAll, Subject::shape, ""},
    {"ffn-hidden-size", kSinceV2, Subject::shape, ""},
    {"num-attention-heads", kAll, Subject::shape, ""},
    {"kv-channels", kSinceV2, Subject::shape, ""},
    {"num-key-value-heads", kDeepSpeed, Subject::shape, ""},
    {"seq-length", kAll, Subject::shape, ""},
    {"max-position-embeddings", kAll, Subject::shape, ""},

    {"apply-residual-connection-post-layernorm", kSinceV2, Subject::architecture, ""},
    {"swiglu", kSince2023, Subject::architecture, ""},
    {"squared-relu", kSince2023, Subject::architecture, ""},
    {"disable-bias-linear", kSince2023, Subject::architecture, ""},
    {"untie-embeddings-and-output-weights", kSince2023, Subject::architecture, ""},
    {"qk-layernorm", kCore, Subject::architecture, ""},
    {"hidden-dropout", kAll, Subject::architecture, ""},
    {"attention-dropout", kAll, Subject::architecture, ""},

    {"make-vocab-size-divisible-by", kAll, Subject::vocabulary, ""},

    {"model-parallel-size", kV1, Subject::layout, ""},
    {"tensor-model-parallel-size", kSinceV2, Subject::layout, ""},
    {"pipeline-model-parallel-size", kSinceV2, Subject::layout, ""},
    {"num-virtual-stages-per-pipeline-rank", kCore, Subject::layout, "1"},
    {"decoder-first-pipeline-num-layers", kCore, Subject::layout, "-1"},
    {"decoder-last-pipeline-num-layers", kCore, Subject::layout, "-1"},
    {"account-for-embedding-in-pipeline-split", kCore, Subject::layout, ""},
    {"account-for-loss-in-pipeline-split", kCore, Subject::layout, ""},
    {"context-parallel-size", kCore, Subject::layout, "1"},
    {"cp-comm-type", kCore, Subject::layout, "p2p"},
    {"sequence-parallel", kSinceV3, Subject::layout, ""},
    {"use-tp-pp-dp-mapping", kCore, Subject::layout, ""},

    {"zero-stage", kDeepSpeed, Subject::sharding, ""},
    {"num-distributed-optimizer-instances", kCore, Subject::sharding, "1"},
    {"overlap-grad-reduce", kZeroBubble | kCore, Subject::sharding, ""},
    {"overlap-param-gather", kCore, Subject::sharding, ""},
    {"tp-comm-overlap", kCore, Subject::sharding, ""},

    {"batch-size", kV1, Subject::batch, ""},
    {"micro-batch-size", kSinceV2, Subject::batch, ""},
    {"global-batch-size", kSinceV2, Subject::batch, ""},

    {"defer-embedding-wgrad-compute", kCore, Subject::kernels, ""},
    {"wgrad-deferral-limit", kCore, Subject::kernels, "0"},
};

/// Switches that take something away, written only where the flags above would not give the scenario's value: what the
/// stack does by itself needs no flag.
inline constexpr WrittenFlag kTakingAway[] = {
    {"no-async-tensor-model-parallel-allreduce", kSinceV3, Subject::sharding, ""},
    {"no-overlap-p2p-communication", kCore, Subject::sharding, ""},
    {"no-scatter-gather-tensors-in-pipeline", kV2 | kV3 | kDeepSpeed, Subject::sharding, ""},
    {"no-masked-softmax-fusion", kSinceV2, Subject::kernels, ""},
    {"no-gradient-accumulation-fusion", kSinceV3, Subject::kernels, ""},
    {"no-bias-dropout-fusion", kSinceV2, Subject::kernels, ""},
    {"no-rope-fusion", kCore, Subject::kernels, ""},
};

}  // namespace shardsim::input::emitting
