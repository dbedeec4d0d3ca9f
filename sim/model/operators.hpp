// The one operator list: what a rank executes. The closed form, the event engine, the memory model and the
// real trainer read the same list.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/model/layout.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::model {

enum class OperatorKind {
  // Matrix work.
  gemm,
  batched_gemm,
  attention,  // fused attention kernel
  // Memory-bound work.
  normalization,
  softmax,
  elementwise,
  embedding,
  cross_entropy,
  optimizer,
  // Communication.
  all_reduce,
  reduce_scatter,
  all_gather,
  all_to_all,
  send_recv,
};

/// recompute: forward work repeated in the backward pass; backward: both gradients in one operator.
enum class Pass { forward, recompute, backward, input_gradient, weight_gradient, step };

/// Ranks that take part in a collective. embedding: first and last stage, which share the tied word embedding.
/// model: all ranks of one model replica (gradient norm).
enum class Group { none, tensor, context, pipeline, data, embedding, model };

/// gemm, batched_gemm: batch × (m×k · k×n). attention: m queries, n keys, head size k, batch = sequences · heads.
/// Other kinds: m rows of n elements.
struct Shape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
};

struct Operator {
  /// As Megatron users know it: "linear_qkv", "core_attention", "layernorm_mlp" …; static storage.
  std::string_view name;
  OperatorKind kind = OperatorKind::elementwise;
  Pass pass = Pass::forward;
  Group group = Group::none;
  DType dtype = DType::bf16;
  Shape shape;
  /// Floating-point operations of matrix work (2·m·n·k·batch; causal halving already applied), else 0.
  Flops flops{0.0};
  /// Compute: bytes read and written in device memory. Communication: the full tensor, as nccl-tests counts it.
  Bytes bytes{0};
  /// Forward operators: bytes that stay allocated until the matching backward.
  Bytes saved{0};
  /// Kernels launched, for the host's cost.
  int launches = 1;
  /// Communication that runs beside compute of the same block.
  bool overlapped = false;
};

constexpr bool is_communication(OperatorKind kind) { return kind >= OperatorKind::all_reduce; }
constexpr bool is_matrix(OperatorKind kind) { return kind <= OperatorKind::attention; }

/// Operators of one micro batch through one part of the model, in execution order.
struct Block {
  std::vector<Operator> forward;
  /// Includes recomputation where the block is recomputed.
  std::vector<Operator> backward;
};

/// Every kind of block of a scenario, listed once (identical layers are priced once).
struct OperatorList {
  Block embedding;
  Block layer;
  /// A layer under full recomputation (equals `layer` where none is recomputed).
  Block recomputed_layer;
  /// Final norm, logits, loss (and BERT's heads).
  Block head;
  /// One pipeline send of activations (forward) or gradients (backward); empty when pp = 1.
  std::vector<Operator> pipeline_send;
};

[[nodiscard]] OperatorList list_operators(const Scenario& scenario);

/// Layers of a chunk that run under full recomputation.
[[nodiscard]] std::int64_t recomputed_layers(const Scenario& scenario, const Chunk& chunk);

/// Once per iteration on a stage: gradient reduction, tied-embedding reduction, gradient norm, optimizer, parameter
/// gather. Per-micro-batch communication of ZeRO-2/3 belongs to the list too, with its per-iteration bytes.
[[nodiscard]] std::vector<Operator> step_operators(const Scenario& scenario, const Stage& stage);

}  // namespace shardsim::model
