// Operators of the two ends of the model: embedding and head.
#pragma once

#include "sim/model/operators.hpp"
#include "sim/model/rank_sizes.hpp"

namespace shardsim::model {

[[nodiscard]] Block embedding_block(const Scenario& scenario, const RankSizes& sizes);

/// Final norm, output projection over the vocabulary shard, cross entropy, and BERT's heads.
[[nodiscard]] Block head_block(const Scenario& scenario, const RankSizes& sizes);

/// The sizes that the output head sees: fewer tokens where only masked positions are computed.
[[nodiscard]] RankSizes head_sizes(const Scenario& scenario, const RankSizes& sizes);

}  // namespace shardsim::model
