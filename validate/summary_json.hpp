// A summary as JSON and back: the form of reports and of the recorded accuracy.
#pragma once

#include <nlohmann/json.hpp>

#include "validate/statistics.hpp"

namespace shardsim::validate {

/// {scored, time{n, median, mape, p90, max, bias, interval_coverage, after_one_scale{n, median, p90}},
/// memory{n, median, mape, p90, max, bias, interval_coverage},
/// repeats{n, spread} and leave_one_source_out{time{}, memory{}, from_kin[]} where there are any,
/// fit{true_fit, false_fit, true_oom, false_oom, balanced_accuracy}}
[[nodiscard]] nlohmann::ordered_json to_json(const Summary& summary);

/// {n, median, mape, p90, max, bias, interval_coverage}
[[nodiscard]] nlohmann::ordered_json to_json(const ErrorStatistics& statistics);

/// The reverse of the first; throws nlohmann::json::exception where a key is missing or of another type.
[[nodiscard]] Summary summary_from_json(const nlohmann::ordered_json& json);

}  // namespace shardsim::validate
