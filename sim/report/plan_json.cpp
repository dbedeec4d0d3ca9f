#include <algorithm>
#include <string>
#include <utility>

#include "sim/report/decision.hpp"
#include "sim/report/plan_report.hpp"
#include "sim/report/plan_summary.hpp"
#include "sim/report/prediction_json.hpp"

namespace shardsim::report {
namespace {

using nlohmann::ordered_json;

ordered_json rejected_json(const plan::SearchResult& found) {
  ordered_json json = ordered_json::array();
  for (const Rejection& rejection : rejections(found)) {
    json.push_back({{"reason", rejection.reason}, {"count", rejection.count}});
  }
  return json;
}

ordered_json candidate_json(const plan::Candidate& candidate) {
  return prediction_json(candidate.scenario, candidate.prediction, {});
}

}  // namespace

void write_plan_json(std::ostream& out, const PlanReport& report) {
  const plan::SearchResult& found = report.found;
  ordered_json json;
  json["considered"] = found.considered;
  json["fitting"] = fitting(found);
  json["rejected"] = rejected_json(found);
  json["interrupted"] = found.interrupted;
  json["max_memory_bytes"] = report.max_memory.value();
  json["candidates"] = ordered_json::array();
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    ordered_json candidate = candidate_json(found.candidates[i]);
    if (i < report.event_iterations.size()) candidate["event_iteration_s"] = report.event_iterations[i].value();
    json["candidates"].push_back(std::move(candidate));
  }
  if (report.given) json["given"] = candidate_json(*report.given);
  if (!report.given_problem.empty()) json["given_problem"] = report.given_problem;
  if (report.decision) add_decision(json, *report.decision);
  if (!found.nearest.empty()) {
    json["nearest"] = candidate_json(found.nearest.front());
    json["nearest"]["missing_bytes"] = missing_memory(report).value();
  }
  write(out, json);
}

}  // namespace shardsim::report
