// Operators of one transformer layer.
#pragma once

#include <vector>

#include "sim/model/operators.hpp"
#include "sim/model/rank_sizes.hpp"

namespace shardsim::model {

/// A layer as the scenario's recomputation granularity leaves it, full recomputation aside.
[[nodiscard]] Block layer_block(const Scenario& scenario, const RankSizes& sizes);

/// The same layer when only its input is kept and its forward pass is repeated before the backward pass.
[[nodiscard]] Block recomputed_layer_block(const Scenario& scenario, const RankSizes& sizes);

}  // namespace shardsim::model
