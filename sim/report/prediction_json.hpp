// A prediction as a JSON object, for reports that hold several.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/engine/prediction.hpp"
#include "sim/model/scenario.hpp"
#include "sim/plan/changes_that_fit.hpp"

namespace shardsim::report {

/// Keys as report.hpp documents them.
[[nodiscard]] nlohmann::ordered_json prediction_json(const model::Scenario& scenario,
                                                     const engine::Prediction& prediction,
                                                     const std::vector<plan::Change>& changes);

/// Indented, with a line end.
void write(std::ostream& out, const nlohmann::ordered_json& json);

}  // namespace shardsim::report
