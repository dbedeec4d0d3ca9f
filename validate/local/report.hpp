// A comparison for people, for programs, row by row, operator by operator and as a picture.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "validate/local/comparison.hpp"

namespace shardsim::validate::local {

struct Comparison {
  std::vector<Row> rows;
  Drift drift;
  /// The profile's file, or how it came about.
  std::string profile;
};

void write_table(std::ostream& out, const Comparison& comparison);

/// {profile, rows, scored, failed[{name, reason}], time{}, memory{}, resident{} (as those of `validate FILE`),
/// rank_correlation, repeat_spread, drift{since_calibration, spread},
/// classes{name{share, predicted_over_measured, median_of_step}},
/// configurations[{name, ranks, step_s{measured, predicted, p10, p90, spread}, allocated_bytes{}, resident_bytes{},
/// exposed_communication_s{}, classes_s{name{measured, predicted}}}]}. Errors are fractions.
void write_json(std::ostream& out, const Comparison& comparison);

/// One line per job.
[[nodiscard]] std::string rows_csv(const std::vector<Row>& rows);

/// One line per job, operator name, kind and pass: count, measured and predicted seconds of one iteration.
[[nodiscard]] std::string operators_csv(const std::vector<Row>& rows);

/// SVG: predicted against measured step time.
[[nodiscard]] std::string figure(const std::vector<Row>& rows);

}  // namespace shardsim::validate::local
