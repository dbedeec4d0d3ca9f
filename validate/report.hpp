// An evaluation for people, for programs, and row by row.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "validate/statistics.hpp"

namespace shardsim::validate {

/// One line per source, errors in per cent; then suspect rows, outcomes and what was skipped.
void write_table(std::ostream& out, const Evaluation& evaluation);

/// {rows, scored, skipped[{reason, count}], time, memory, fit, by_source[{source, scored, time, memory, fit}],
/// suspect{scored, time, memory, fit, by_source}, fitted_constants,
/// fitted_constants_by_kind{stacks, devices, clusters}}; summary_json.hpp names what time, memory and fit
/// hold. Errors, bias and coverage are fractions.
void write_json(std::ostream& out, const Evaluation& evaluation);

/// CSV: id, source, where, quality, suspect, skipped, measured and predicted time and memory, errors, outcome.
[[nodiscard]] std::string rows_csv(const std::vector<Result>& results);

/// At most `width` characters, the middle left out.
[[nodiscard]] std::string shortened(const std::string& name, std::size_t width);

}  // namespace shardsim::validate
