// Parameter counts, of the model and of one rank.
#pragma once

#include <cstdint>

#include "sim/model/layout.hpp"
#include "sim/model/operators.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::model {

/// Parameters of the whole model with the padded vocabulary; tied weights counted once.
[[nodiscard]] std::int64_t total_parameters(const Scenario& scenario);

/// Parameters that one rank of a stage stores (tensor-parallel shards; before ZeRO-3 sharding).
/// A tied embedding counts on the first and on the last stage.
[[nodiscard]] std::int64_t rank_parameters(const Scenario& scenario, const Stage& stage);

/// Of those, what every tensor-parallel rank holds whole but sees only a share of the tokens for: norms, biases behind
/// row-parallel layers, position and token-type embeddings, BERT's transform. 0 without sequence parallelism.
[[nodiscard]] std::int64_t sequence_parallel_parameters(const Scenario& scenario, const Stage& stage);

/// Parameters of one transformer layer on one rank.
[[nodiscard]] std::int64_t layer_parameters_per_rank(const Scenario& scenario);

/// Parameters of one rank's shard of the word embedding (or of the output projection).
[[nodiscard]] std::int64_t word_embedding_per_rank(const Scenario& scenario);

/// Model FLOPs of one iteration over all GPUs: forward + backward matrix work, no recomputation,
/// full attention (Narayanan et al. 2021, eq. 3 without the recompute forward), and the same plus recomputation.
struct IterationFlops {
  Flops model;
  Flops model_causal;
  Flops hardware;
};
[[nodiscard]] IterationFlops iteration_flops(const Scenario& scenario);

}  // namespace shardsim::model
