// Cross entropy over logits whose vocabulary is divided over the tensor-parallel group.
#pragma once

#include <vector>

#include "sim/model/operators.hpp"
#include "sim/model/rank_sizes.hpp"

namespace shardsim::model {

/// `head`: sizes that the output head sees.
void loss_forward(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& head);
void loss_backward(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& head);

/// Bytes that the loss keeps for its backward pass: the fp32 softmax (Korthikanti et al. 2022, section 4.3).
[[nodiscard]] Bytes saved_logits(const RankSizes& sizes);

}  // namespace shardsim::model
