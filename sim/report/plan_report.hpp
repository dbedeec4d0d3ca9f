// The answer of a search over layouts for people (table), for programs (JSON) and for spreadsheets (CSV).
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/scenario.hpp"
#include "sim/plan/decision.hpp"
#include "sim/plan/search.hpp"

namespace shardsim::report {

struct PlanReport {
  /// The job without a layout.
  model::Scenario job;
  plan::SearchResult found;
  /// Of the first candidates, as the event engine plays them.
  std::vector<Seconds> event_iterations;
  /// What the input itself asked for, or why that cannot run; neither where it named no layout.
  std::optional<plan::Candidate> given;
  std::string given_problem;
  /// Why the first candidate, and how sure; where there is a candidate.
  std::optional<plan::Decision> decision;
  /// Device memory that candidates may use.
  Bytes max_memory;
};

/// Candidates that fit, of those considered.
[[nodiscard]] std::int64_t fitting(const plan::SearchResult& found);

/// At most kTableColumns characters a line.
void write_plan_table(std::ostream& out, const PlanReport& report);

/// One JSON object with these keys in this order:
///   considered, fitting
///   rejected[{reason, count}]    most frequent first, those that do not fit into memory included
///   interrupted                  the search was stopped and the best so far are shown
///   max_memory_bytes
///   candidates[…]                fastest first, each with the keys of a prediction (report.hpp), and event_iteration_s
///                                where the event engine played it
///   given                        the input's own layout as such an object; absent where it named none
///   given_problem                why that cannot run
///   why[], confidence{}, pareto[]   see decision.hpp; where there is a candidate, pareto with several objectives
///   nearest                      where nothing fits: the layout that exceeds the limit by the least, with
///   missing_bytes
void write_plan_json(std::ostream& out, const PlanReport& report);

/// A line for each candidate under the names of the JSON object.
void write_plan_csv(std::ostream& out, const PlanReport& report);

}  // namespace shardsim::report
