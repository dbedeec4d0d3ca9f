// Norms over the residual stream.
#pragma once

#include <string_view>

#include "sim/model/operators.hpp"
#include "sim/model/rank_sizes.hpp"

namespace shardsim::model {

/// Keeps its input and, where the stack says so, the rows' statistics.
[[nodiscard]] Operator norm_forward(const Scenario& scenario, const RankSizes& sizes, std::string_view name);
[[nodiscard]] Operator norm_backward(const Scenario& scenario, const RankSizes& sizes, std::string_view name);

}  // namespace shardsim::model
