// The time of one transformer layer alone.
#pragma once

#include "sim/base/units.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::engine {

/// One micro batch forward and backward through one layer, recomputation included; no embedding, logits or step
/// (what Korthikanti et al. 2022, table 4, measured).
[[nodiscard]] Seconds layer_time(const model::Scenario& scenario);

}  // namespace shardsim::engine
