// Batch, precision, optimizer and recomputation of one training job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/model/dtype.hpp"

namespace shardsim::model {

enum class OptimizerKind { adam, lamb, sgd };
/// none; selective: the attention core (Korthikanti et al. 2022); full: whole layers, from their inputs;
/// operators: every second matrix product and the attention are kept (torchtitan's "selective" operator policy).
enum class RecomputeGranularity { none, selective, full, operators };
/// uniform: every group of num_layers layers; block: the first num_layers layers of each chunk.
enum class RecomputeMethod { uniform, block };
/// Recomputable parts of a layer for selective granularity (Megatron-Core --recompute-modules).
struct RecomputeModules {
  bool core_attention = true;
  bool layer_norm = false;
  bool mlp_activation = false;
  bool mlp = false;
};
struct Recompute {
  RecomputeGranularity granularity = RecomputeGranularity::none;
  RecomputeMethod method = RecomputeMethod::uniform;
  std::int64_t num_layers = 1;
  RecomputeModules modules;
  /// Checkpointed inputs are divided over the tensor-parallel group (--distribute-saved-activations).
  bool distribute_saved_activations = false;
};
/// unfused: two batched GEMMs around softmax and dropout; flash: FlashAttention (Dao 2022) or cuDNN's fused kernel.
enum class AttentionKernel { unfused, flash };
/// unfused: fp32 logits in several steps; native/te: Megatron's and Transformer Engine's fused cross entropy;
/// in_place: fp32 logits become exponentials, then gradients (this project's trainer).
enum class CrossEntropy { unfused, fused_native, fused_te, in_place };
enum class Offload { none, optimizer, optimizer_and_parameters };

struct Training {
  std::int64_t micro_batch_size = 0;
  std::int64_t global_batch_size = 0;
  DType precision = DType::bf16;
  /// Gradients are accumulated and reduced in this format (the stack's default, or
  /// --accumulate-allreduce-grads-in-fp32).
  DType gradient_dtype = DType::fp32;
  OptimizerKind optimizer = OptimizerKind::adam;
  Recompute recompute;
  AttentionKernel attention_kernel = AttentionKernel::unfused;
  /// Fused attention's time over FlashAttention-2's; FlashAttention-1 takes about twice (Dao 2023, figure 4).
  double attention_slowdown = 1.0;
  CrossEntropy cross_entropy = CrossEntropy::unfused;
  Offload offload = Offload::none;
  /// One cuBLAS workspace: PyTorch's default :4096:2:16:8; CUBLAS_WORKSPACE_CONFIG of the environment changes it.
  Bytes cublas_workspace{std::int64_t{4096 * 2 + 16 * 8} * 1024};
  /// Megatron's --defer-embedding-wgrad-compute: output-layer weight gradients wait for the pipeline's drain.
  bool defer_embedding_wgrad_compute = false;
  /// Micro batches that wait at most; 0 = all (--wgrad-deferral-limit).
  std::int64_t wgrad_deferral_limit = 0;
};

}  // namespace shardsim::model
