// What makes the gradients of all ranks one: sums over the data, tensor and embedding groups.
#pragma once

#include "kernels/communicator/communicator.hpp"
#include "kernels/model/operations.hpp"
#include "kernels/trainer/data_parallel.hpp"
#include "kernels/trainer/flat_buffers.hpp"

namespace shardsim::kernels {

/// Gradients are sums over the global batch (the loss weights hold the division), so nothing is averaged.
class GradientReduction {
 public:
  /// Everything passed must outlive this object.
  GradientReduction(const model::Scenario& scenario, ParameterBuffers& buffers, const FlatLayout& layout,
                    const Groups& groups, Operations& operations, Memory& memory);

  /// All of it, in the order of sim/model's step_operators(). With ZeRO-1 only this rank's shard of the flat buffer
  /// holds the sums afterwards.
  void reduce();
  /// Updated parameters of all shards (ZeRO-1); where that is overlapped, values may be read after finish_gathering().
  void gather_parameters();
  void finish_gathering() { replicas_.finish_gathering(); }
  /// Who must see the blocks of the model run; null without replicas.
  [[nodiscard]] BlockObserver* observer() { return groups_.data->size() > 1 ? &replicas_ : nullptr; }

 private:
  /// Parameters whose tensor-parallel copies saw different tokens, as one message (Megatron-LM's
  /// _allreduce_layernorm_grads).
  void sum_over_tensor_group();
  /// The tied word embedding of the first and the last stage.
  void sum_shared_embedding();

  [[nodiscard]] bool sharded() const { return scenario_.parallelism.zero_stage >= 1; }

  const model::Scenario& scenario_;
  ParameterBuffers& buffers_;
  const FlatLayout& layout_;
  const Groups& groups_;
  Operations& operations_;
  Memory& memory_;
  DataParallel replicas_;
};

}  // namespace shardsim::kernels
