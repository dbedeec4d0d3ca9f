// The attention core between the query/key/value projection and the output projection.
#pragma once

#include <vector>

#include "sim/model/operators.hpp"
#include "sim/model/rank_sizes.hpp"

namespace shardsim::model {

/// Appends rotary embedding, context-parallel exchange and the attention itself. `recomputed`: what lies between
/// queries/keys/values and the output is not kept (selective recomputation).
void core_attention_forward(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& sizes,
                            bool recomputed);
void core_attention_backward(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& sizes);

/// Output of the attention core and, for the fused kernel, its fp32 log-sum-exp per head and query.
[[nodiscard]] Bytes attention_output_bytes(const RankSizes& sizes);

}  // namespace shardsim::model
