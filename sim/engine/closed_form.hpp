// The closed form: iteration time as a sum of named terms, in microseconds per prediction.
#pragma once

#include "sim/engine/prediction.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::engine {

/// Time and memory of one iteration. Pure; the scenario must be resolved and checked.
[[nodiscard]] Prediction predict(const model::Scenario& scenario);

}  // namespace shardsim::engine
