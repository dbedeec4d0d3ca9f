#include <string>

#include "sim/model/enum_text.hpp"
#include "sim/report/csv.hpp"
#include "sim/report/plan_report.hpp"

namespace shardsim::report {

void write_plan_csv(std::ostream& out, const PlanReport& report) {
  std::vector<Columns> rows;
  for (const plan::Candidate& candidate : report.found.candidates) {
    const plan::Degrees& degrees = candidate.degrees;
    const std::size_t place = rows.size();
    Columns row{{"rank", std::to_string(place + 1)},
                {"virtual_pipeline_model_parallel_size", std::to_string(degrees.virtual_pipeline_model_parallel_size)},
                {"schedule", std::string(model::choice_text(degrees.schedule))},
                {"recompute_granularity", std::string(model::choice_text(degrees.recompute_granularity))},
                {"sequence_parallel", degrees.sequence_parallel ? "true" : "false"},
                {"event_iteration_s",
                 place < report.event_iterations.size() ? csv_number(report.event_iterations[place].value()) : ""}};
    const Columns rest = csv_columns(candidate.scenario, candidate.prediction);
    row.insert(row.end(), rest.begin(), rest.end());
    rows.push_back(std::move(row));
  }
  write_csv_rows(out, rows);
}

}  // namespace shardsim::report
