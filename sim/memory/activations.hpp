// Activations kept for the backward pass, and what the backward pass needs beside them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/operators.hpp"
#include "sim/model/rank_sizes.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::memory {

/// Saved bytes of one block and micro batch, without the loss (its logits are counted apart).
[[nodiscard]] Bytes saved_by(const model::Block& block);

/// What the blocks of an operator list keep for one micro batch.
struct SavedBytes {
  // NOLINTNEXTLINE(google-explicit-constructor): a list means this wherever bytes are asked for.
  SavedBytes(const model::OperatorList& operators);

  Bytes layer;
  Bytes recomputed_layer;
  Bytes embedding;
  Bytes head;
  /// Operands of a layer's weight gradients.
  Bytes layer_operands;
};

/// One micro batch through one chunk: layers, checkpointed inputs, embedding, final norm.
[[nodiscard]] Bytes chunk_activations(const model::Scenario& scenario, const SavedBytes& saved,
                                      const model::Chunk& chunk);

/// The same tensor by tensor, one a layer, in the order of the forward pass.
[[nodiscard]] std::vector<Bytes> saved_tensors(const model::Scenario& scenario, const model::OperatorList& operators,
                                               const model::Chunk& chunk);

/// Operands of a block's weight gradients: its inputs and output gradients of linear layers (M_W of Qi et al. 2023).
[[nodiscard]] Bytes weight_gradient_operands(const model::Block& block);

/// A stage's activations at their peak: of every chunk as many as are in flight (sim/schedule), of those that wait for
/// their weight gradients only the operands.
[[nodiscard]] Bytes stage_activations(const model::Scenario& scenario, const SavedBytes& saved,
                                      const model::Stage& stage, std::int64_t stage_index);

/// Two sizes between which stage_activations() lies, without a walk through the schedule.
struct ActivationBounds {
  Bytes least;
  Bytes most;
};
[[nodiscard]] ActivationBounds bound_stage_activations(const model::Scenario& scenario, const SavedBytes& saved,
                                                       const model::Stage& stage, std::int64_t stage_index);

/// What pipeline neighbours exchange: a received and a sent activation and gradient; none without pipelining.
[[nodiscard]] Bytes pipeline_buffers(const model::Scenario& scenario, const model::RankSizes& sizes);

/// Largest working set of a layer's backward pass: gradients of the ffn or of the attention scores, recomputed
/// activations, gathered parameters of ZeRO-3.
[[nodiscard]] Bytes backward_temporaries(const model::Scenario& scenario, const SavedBytes& saved,
                                         const model::RankSizes& sizes, const model::Stage& stage);

/// What the head and the loss of one micro batch hold beside the activations. `sizes`: of the head.
struct Logits {
  /// While the loss runs forward or backward, all of the logits' copies.
  Bytes peak;
  /// Of these, what stays from the forward to the backward.
  Bytes softmax;
  /// Where output-layer weight gradients wait for the drain of the pipeline: each keeps its logits' gradient and input.
  Bytes deferred;
  std::int64_t most_deferred = 0;
};
[[nodiscard]] Logits logits(const model::Scenario& scenario, const model::RankSizes& sizes);

/// Most that is kept beside the logits of the micro batch that runs: deferred gradients, and the softmax of the others
/// where every forward comes first.
[[nodiscard]] Bytes kept_logits(const model::Scenario& scenario, const Logits& logits);

/// Placeholders of weight gradients that the stack keeps for good, one for every shape of a layer's weights.
[[nodiscard]] Bytes kept_placeholders(const model::Scenario& scenario, const model::RankSizes& sizes);

/// While the output layer's gradients are computed: gradients of the logits, the placeholder of its weight gradient,
/// and under sequence parallelism its gathered input and that input's whole gradient. Nothing without placeholders.
[[nodiscard]] Bytes output_layer_gradients(const model::Scenario& scenario, const model::RankSizes& sizes);

}  // namespace shardsim::memory
