// An evaluation for people, for programs, and row by row.
#pragma once

#include <iosfwd>
#include <vector>

#include "validate/statistics.hpp"

namespace shardsim::validate {

/// One line per source, worst last-mentioned last; errors in per cent.
void write_table(std::ostream& out, const Evaluation& evaluation);

/// {rows, scored, skipped[{reason, count}], time{n, median, mape, p90, max, bias, interval_coverage,
/// after_one_scale{n, median, p90}}, memory{n, median, mape, p90, max, bias, interval_coverage},
/// fit{true_fit, false_fit, true_oom, false_oom, balanced_accuracy}, by_source[{source, scored, time, memory, fit}],
/// suspect{scored, time, memory, by_source}}; errors, bias and coverage are fractions.
void write_json(std::ostream& out, const Evaluation& evaluation);

/// CSV: id, source, suspect, skipped, measured and predicted time and memory, errors, outcome.
void write_rows(std::ostream& out, const std::vector<Result>& results);

}  // namespace shardsim::validate
