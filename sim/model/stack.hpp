// The software that runs the training: which operators it fuses, what it keeps for the backward pass,
// what it overlaps and what it costs on the host. Each stack is a data file under scenarios/stacks/.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/units.hpp"
#include "sim/model/dtype.hpp"
#include "sim/model/parallelism.hpp"
#include "sim/model/training.hpp"

namespace shardsim::model {

/// How layers are dealt to pipeline stages.
///  megatron: equal counts, or Megatron-Core's first/last and embedding/loss accounting; divisibility required.
///  even_remainder_first: as even as possible, the first stages take the remainder (DeepSpeed "uniform", torchtitan).
///  balanced_blocks: embedding and head each count as one block, blocks dealt evenly (Aleph Alpha Scaling,
///    DeepSpeed "parameters").
///  balanced_cost: pieces close when their share of the weights' multiply-accumulates is reached; the head counts with
///    its vocabulary (nanotron).
///  lighter_ends: the first and last stage hold one layer less than the others (the zero-bubble fork).
enum class LayerSplit { megatron, even_remainder_first, balanced_blocks, balanced_cost, lighter_ends };

/// What the micro batches of an interleaved schedule must satisfy (p stages, group g).
///  multiple_of_pipeline: m mod p = 0 (Megatron-LM before Core 0.9);
///  group_remainder: m mod g = 0 or >= p (Megatron-Core).
enum class InterleavingRule { multiple_of_pipeline, group_remainder };

/// Elementwise work done inside a neighbouring kernel instead of by kernels of its own.
struct Fusion {
  bool bias_activation = true;
  bool bias_dropout_add = true;
  bool masked_softmax = true;
  bool normalization = true;
  bool rotary = true;
  bool optimizer = true;
  /// The gradient of a branch is added to the residual stream's where its norm's backward pass ends.
  bool residual_gradient = true;
  /// The optimizer's kernel multiplies by the clipping factor; false: the gradients are clipped in a pass of their own.
  bool gradient_clipping = false;
};

/// Bytes kept for the backward pass beyond what the fused layer of Korthikanti et al. (2022, section 4) keeps.
struct SavedForBackward {
  /// Extra bytes per attention score (heads/tp · s² · b) of unfused attention; 0 with the fused softmax.
  double extra_per_attention_score = 0.0;
  /// Extra bytes per activation element of the ffn (s · b · ffn/tp): copies that an eager activation keeps.
  double extra_per_ffn_element = 0.0;
  /// Extra bytes per residual element (s · b · h) and layer: copies that sums and dropout keep.
  double extra_per_residual_element = 0.0;
  /// The same of norms of single kernels: fp32 copies of their input and of what they scale.
  double extra_per_eager_norm_element = 0.0;
  /// Extra bytes per element of the fused attention's output (s · b · h/tp): a second copy in another layout.
  double extra_per_flash_output_element = 0.0;
  /// Bytes per row (s · b) that a norm keeps beside its input: mean and 1/σ.
  std::int64_t norm_statistics = 0;
};

/// Bytes per logit (s · b · V/tp elements) that live at once at the peak of loss forward and backward.
struct LogitBytes {
  double unfused = 10.0;
  double fused_native = 12.0;
  double fused_te = 6.0;
};

/// Time that the CPU needs to issue work.
struct HostCost {
  /// Per kernel or collective launched.
  Seconds per_launch{0.0};
  /// More per collective inside a layer: bookkeeping, stream events.
  Seconds per_collective{0.0};
  /// Per send between stages that nothing hides: both sides wait for their devices before and after it.
  Seconds per_send{0.0};
  /// More per tensor-parallel collective and rank of its group, in a pipeline whose stages sit on different nodes.
  /// Measured (nanotron: 2 ms a layer and rank, whatever the sizes; more beyond two nodes), cause unknown.
  Seconds per_collective_between_nodes{0.0};
  /// Per iteration: data loading, logging, scheduler, timers.
  Seconds per_iteration{0.0};
  /// Device time more per tensor- or context-parallel collective whose group spans nodes: start-up that small
  /// messages of nccl-tests, issued back to back, do not show. Of two nodes; it grows with them.
  Seconds start_between_nodes{0.0};
};

/// Weight-sized tensors that stand for gradients already added to the fp32 buffer: autograd wants one per weight.
///  none;
///  output_layer: while the output layer's gradient is computed (Megatron-LM's fused accumulation);
///  cached: also one for every shape of a layer's weights, kept for good (Transformer Engine's get_dummy_wgrad).
enum class PlaceholderGradients { none, output_layer, cached };

/// From allocated tensors to what nvidia-smi shows.
struct AllocatorBehaviour {
  /// Peak reserved over peak allocated memory of PyTorch's caching allocator, minus one.
  double fragmentation = 0.05;
  /// Share of time that a run loses whose need reaches the device's memory: freeing and asking again stalls the device.
  double retry_slowdown = 0.0;
  /// CUDA context and loaded kernels.
  Bytes context{0};
  /// NCCL buffers: the first communicator and each further one.
  Bytes first_communicator{0};
  Bytes further_communicator{0};
  /// Threads and streams with a cuBLAS workspace of their own: forward and autograd.
  std::int64_t cublas_workspaces = 2;
  /// Other workspaces inside the framework's allocator, such as Transformer Engine's.
  Bytes workspace{0};
  /// Blocks of a residual activation's size that stay reserved per layer and step of ring attention: its buffers live
  /// on two streams, and the host runs ahead of the events that would release them.
  double ring_attention_blocks = 0.0;
};

/// Standard deviation of the logarithm of predicted over measured.
struct PredictionError {
  double time = 0.15;
  double memory = 0.05;
};

/// What a stack's software can do at all, where a choice is left to a planner.
struct Abilities {
  bool tensor_parallel = true;
  bool pipeline_parallel = true;
  bool interleaving = true;
  bool context_parallel = true;
  bool sequence_parallel = true;
  bool selective_recompute = true;
  int largest_zero_stage = 3;
};

struct Stack {
  std::string name = "custom";
  std::string title;
  /// Where the constants come from; "provisional" until they are fitted.
  std::string provenance;
  Abilities abilities;
  Fusion fusion;
  SavedForBackward saved;
  LogitBytes logit_bytes;
  AttentionKernel default_attention_kernel = AttentionKernel::unfused;
  CrossEntropy default_cross_entropy = CrossEntropy::unfused;
  OptimizerKind default_optimizer = OptimizerKind::adam;
  Overlap default_overlap;
  /// ZeRO stage where nothing says otherwise: 3 for FSDP stacks.
  int default_zero_stage = 0;
  /// Gradient accumulation formats for fp16 and for bf16/fp8 training.
  DType gradient_dtype_fp16 = DType::fp16;
  DType gradient_dtype_bf16 = DType::fp32;
  /// The optimizer copies low-precision gradients to fp32 for its step (4 bytes per parameter, for the step only).
  bool fp32_gradient_copy_at_step = true;
  /// Low-precision gradients stay allocated beside the fp32 ones that they are summed into.
  bool keeps_low_precision_gradients = false;
  /// An fp32 master copy lives beside the stored low-precision parameters; false where the fp32 (sharded) parameters
  /// are the only ones kept and low-precision copies are made on use (FSDP's mixed precision).
  bool separate_master_weights = true;
  LayerSplit layer_split = LayerSplit::megatron;
  InterleavingRule interleaving = InterleavingRule::group_remainder;
  /// ZeRO 2 and 3 work together with a pipeline (DeepSpeed refuses: it reduces per micro batch).
  bool zero_with_pipeline = true;
  /// The all-reduce (or reduce-scatter) of a column-parallel layer's input gradient runs beside its weight gradient.
  bool overlaps_input_gradient_reduction = false;
  /// Under sequence parallelism the gathered input of a column-parallel layer is kept for its weight gradient, not
  /// gathered again.
  bool keeps_gathered_inputs = false;
  /// Share of the tokens that BERT's masked-LM head computes: 1 = all, less where only masked positions are selected
  /// first (NVIDIA's examples: 20 of 128, 80 of 512).
  double masked_token_share = 1.0;
  /// Logits are gathered over the tensor-parallel group and every rank computes the whole loss, instead of the
  /// vocabulary-parallel loss of Shoeybi et al. (2019).
  bool gathers_logits = false;
  /// The all-reduce of gradients of parameters whose tensor-parallel copies see different tokens is listed. It is small
  /// (norms, biases); the constants of stacks that leave it out were fitted without it.
  bool lists_sequence_parallel_gradients = false;
  /// Pipeline sends carry 1/tp of the activation and are gathered on arrival (Narayanan et al. 2021, section 4.1).
  bool scatter_gather_pipeline_sends = false;
  /// Memory is replayed pass by pass as this project's trainer allocates it (sim/memory/stage_replay), not estimated.
  bool replays_memory = false;
  /// Gradients travel in buckets of this size when their reduction overlaps the backward pass.
  Bytes gradient_bucket{Bytes{0}};
  /// With a pipeline, ZeRO-3 gathers parameters and reduces gradients once an iteration and holds both whole between.
  bool pipeline_unshards = false;
  /// fp8 training gathers inputs of column-parallel layers and sharded parameters in fp8.
  bool gathers_fp8 = false;
  /// Fused attention is FlashAttention-2's, not the device profile's own (cuDNN on Hopper).
  bool flash_attention_2 = false;
  PlaceholderGradients placeholder_gradients = PlaceholderGradients::none;
  /// Fused attention's time with ALiBi biases over that without. Kernels that take biases are those of FlashAttention-1,
  /// about twice as slow as its second version (Dao 2023, figure 4).
  double alibi_attention_slowdown = 2.0;
  /// Norms and elementwise kernels: achieved time over that of the device's fused kernels.
  double memory_bound_slowdown = 1.0;
  HostCost host;
  AllocatorBehaviour allocator;
  PredictionError error;
};

}  // namespace shardsim::model
