// The resolved configuration as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/memory/memory.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::report {

/// Every value that the prediction was made from, and what follows from them; keys as report.hpp documents them.
[[nodiscard]] nlohmann::ordered_json resolved_json(const model::Scenario& scenario, const memory::Memory& memory);

}  // namespace shardsim::report
