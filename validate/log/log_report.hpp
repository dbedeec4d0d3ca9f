// Logs against predictions, for people and for programs.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "validate/log/compare.hpp"
#include "validate/log/explain_out_of_memory.hpp"
#include "validate/log/fit.hpp"
#include "validate/log/suspects.hpp"

namespace shardsim::validate::log {

/// One log and everything that is said about it.
struct LogReport {
  Comparison comparison;
  std::optional<Suspicion> suspicion;
  std::optional<OutOfMemoryExplained> out_of_memory;
};

/// A fit and the profile that it was written to.
struct FitReport {
  Fit fit;
  std::string file;
};

void write_table(std::ostream& out, const LogReport& report);
void write_table(std::ostream& out, const FitReport& report);

/// One object: logs[{file, framework, scenario, iterations{used, first, last, left_out[{reason, count}]},
///   time{measured_s, measured_p10_s, measured_p90_s, predicted_s, predicted_p10_s, predicted_p90_s, error, inside},
///   tflops{measured, predicted, convention, work}, memory[{kind, measured_bytes, predicted_bytes, error, inside,
///   stage, rank, line}], suspects[{name, factor, surprise, check}], experiment{change, with_first_s, with_second_s},
///   out_of_memory{…}, notes[], assumed[{key, value, reason}], warnings[]}],
/// fit{profile, constants[{name, value, error, determined}], time{runs, before, after, left_out}, memory{…}}.
/// A log without iterations has neither iterations nor time; keys of what is missing are missing.
void write_json(std::ostream& out, const std::vector<LogReport>& reports, const std::optional<FitReport>& fit);

}  // namespace shardsim::validate::log
