// What the blocks of this project's trainer allocate, tensor by tensor: exact, where sim/memory/activations estimates.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "sim/base/units.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/rank_sizes.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::memory {

/// Bytes beside the model state at one moment.
struct Held {
  Bytes activations{0};
  Bytes temporaries{0};
  Bytes logits{0};

  [[nodiscard]] Bytes total() const { return activations + temporaries + logits; }
};
[[nodiscard]] Held operator+(Held a, Held b);
[[nodiscard]] Held operator-(Held a, Held b);
[[nodiscard]] Held operator*(std::int64_t n, Held a);
[[nodiscard]] Held largest(std::initializer_list<Held> moments);

/// A part of the model that passes a residual activation on. All relative to what lives without it.
struct BlockMemory {
  /// At its forward pass' peak; includes its input and at last its output.
  Held forward;
  /// Between its forward and backward pass; includes its input, not its output.
  Held saved;
  /// At its backward pass' peak; includes what is saved and the gradients of its output and input.
  Held backward;
};

/// `second` follows `first` in the model.
[[nodiscard]] BlockMemory followed_by(const BlockMemory& first, const BlockMemory& second);
/// `count` times the same.
[[nodiscard]] BlockMemory repeated(const BlockMemory& block, std::int64_t count);

[[nodiscard]] BlockMemory embedding_memory(const model::Scenario& scenario, const model::RankSizes& sizes);
[[nodiscard]] BlockMemory layer_memory(const model::Scenario& scenario, const model::RankSizes& sizes);
/// `layers` of them, of which only the first one's input is kept.
[[nodiscard]] BlockMemory recomputed_layers_memory(const BlockMemory& layer, const model::RankSizes& sizes,
                                                   std::int64_t layers);
[[nodiscard]] BlockMemory head_memory(const model::Scenario& scenario, const model::RankSizes& sizes);

/// One micro batch through a chunk.
[[nodiscard]] BlockMemory chunk_memory(const model::Scenario& scenario, const model::Chunk& chunk);

}  // namespace shardsim::memory
