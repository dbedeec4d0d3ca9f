// A comparison for people, for programs, row by row, operator by operator and as a picture.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "validate/local/comparison.hpp"

namespace shardsim::validate::local {

struct Comparison {
  std::vector<Row> rows;
  /// Runs that were done again because other programs disturbed them.
  std::int64_t run_again = 0;
  /// Cores and processor.
  std::string machine;
  /// The profile's file, or how it came about.
  std::string profile;
};

void write_table(std::ostream& out, const Comparison& comparison);

/// {machine, profile, rows, scored, failed[{name, reason}], time{}, time_without_drift{}, time_of_medians{}, memory{},
/// resident{} (as those of `validate FILE`), rank_correlation, repeat_spread, drift{since_calibration, spread,
/// run_again}, classes{name{share, predicted_over_measured, median_of_step}}, configurations[{name, ranks,
/// step_s{measured, predicted, p10, p90, spread}, allocated_bytes{}, resident_bytes{}, exposed_communication_s{},
/// classes_s{name{measured, predicted}}}]}. Errors are fractions.
[[nodiscard]] nlohmann::ordered_json to_json(const Comparison& comparison);

/// One line per job.
[[nodiscard]] std::string rows_csv(const std::vector<Row>& rows);

/// One line per job, operator name, kind and pass: count, measured and predicted seconds of one iteration.
[[nodiscard]] std::string operators_csv(const std::vector<Row>& rows);

/// SVG: predicted against measured step time.
[[nodiscard]] std::string figure(const std::vector<Row>& rows);

}  // namespace shardsim::validate::local
