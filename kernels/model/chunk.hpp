// One contiguous piece of the model on one rank: forward and backward of a micro batch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/communicator/communicator.hpp"
#include "kernels/model/operations.hpp"
#include "kernels/model/parameter.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::kernels {

/// Tokens of one micro batch in device memory, all [s·b] in the row order of activations. BERT fills all of them.
struct MicroBatch {
  std::int64_t index = 0;         // within this rank's iteration
  std::int64_t first_sample = 0;  // of the global batch, for dropout
  std::int64_t iteration = 0;
  Array<std::int32_t> tokens;
  Array<std::int32_t> positions;
  Array<std::int32_t> token_types;
  Array<std::int32_t> targets;
  /// 0/1 (GPT: all 1; BERT: masked positions), over the mask's sum in the global batch and times the loss scale: the
  /// gradient's weights; losses are averaged with the same weights.
  Tensor loss_weights;
  /// BERT: [b] valid lengths and [b] next-sentence labels.
  Array<std::int32_t> valid_lengths;
  Array<std::int32_t> sentence_order;
  /// Of each sequence's sentence-order loss: one over the global batch, times the loss scale.
  double sentence_order_weight = 0.0;
};

/// Told of the stage's blocks as they run; Parameter::block numbers them.
class BlockObserver {
 public:
  virtual ~BlockObserver() = default;
  /// A forward pass is about to read its parameters.
  virtual void before_forward(std::int64_t block) = 0;
  /// One micro batch's gradients of its parameters are complete.
  virtual void after_backward(std::int64_t block) = 0;
};

/// What every chunk of a rank computes with. All outlive the chunks.
struct RankContext {
  const model::Scenario* scenario = nullptr;
  Operations* operations = nullptr;
  Memory* memory = nullptr;
  const Groups* groups = nullptr;
  std::uint64_t seed = 0;
  /// Or null.
  BlockObserver* blocks = nullptr;
};

class ModelChunk {
 public:
  virtual ~ModelChunk() = default;

  /// `input`: the previous stage's activation [residual tokens, h]; empty on the first. It is kept for the backward
  /// pass, so it belongs to Component::activations. Returns the activation to send; empty on the last, which adds the
  /// weighted loss to losses(). Keeps what the backward pass needs.
  [[nodiscard]] virtual Tensor forward(const MicroBatch& batch, Tensor input) = 0;
  /// `gradient` of the forward's output; empty on the last chunk. Returns the gradient of `input`; empty on the first.
  /// Gradients of parameters accumulate. Micro batches may finish in any order.
  [[nodiscard]] virtual Tensor backward(const MicroBatch& batch, Tensor gradient) = 0;

  struct Losses {
    double language_model = 0.0;
    double sentence_order = 0.0;
  };
  /// Summed over the micro batches since the last call, on the last chunk.
  [[nodiscard]] virtual Losses take_losses() = 0;
};

/// Declares the parameters of a stage's chunks, in order (rank shapes, names, sharding); `value` and `gradient` have
/// shape and format but no data yet.
[[nodiscard]] std::vector<Parameter> declare_parameters(const model::Scenario& scenario, const model::Stage& stage,
                                                        std::int64_t stage_index, int tensor_rank);

/// Chunks of a stage over parameters that lie in flat buffers. `parameters` must outlive the chunks.
[[nodiscard]] std::vector<std::unique_ptr<ModelChunk>> make_chunks(const RankContext& context,
                                                                   const model::Stage& stage, std::int64_t stage_index,
                                                                   std::vector<Parameter>& parameters);

}  // namespace shardsim::kernels
