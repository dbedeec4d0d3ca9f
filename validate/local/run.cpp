#include "validate/local/run.hpp"

#include <sched.h>

#include <iostream>

#include "sim/base/problems.hpp"
#include "sim/cost/operator_time.hpp"
#include "validate/local/options.hpp"
#include "validate/local/probe.hpp"
#include "validate/local/report.hpp"
#include "validate/local/rounds.hpp"
#include "validate/write_file.hpp"

namespace shardsim::validate::local {
namespace {

enum ExitCode : int { kSuccess = 0, kSomeFailed = 1, kNothingDone = 2, kInterrupted = 130 };

std::int64_t usable_cores() {
  cpu_set_t usable;
  return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
}

Comparison predict_all(const LocalOptions& options, std::int64_t cores) {
  const input::Settings profile = read_profile(options.profile);
  Comparison comparison;
  comparison.profile = options.profile;
  for (const Job& job : jobs(options.extent, cores)) {
    const model::Scenario scenario = scenario_of(job, profile);
    comparison.rows.push_back({job, predict(scenario, options.engine), {}, ""});
    comparison.drift.predicted = cost::Pricer{scenario}.time(probe_operator()).value();
  }
  return comparison;
}

void write_results(const LocalOptions& options, const Comparison& comparison) {
  if (!options.csv.empty()) write_file(options.csv, rows_csv(comparison.rows));
  if (!options.operators.empty()) write_file(options.operators, operators_csv(comparison.rows));
  if (!options.figure.empty()) write_file(options.figure, figure(comparison.rows));
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  const LocalOptions options = parse_local_options(arguments);
  if (options.help) {
    std::cout << local_help_text();
    return kSuccess;
  }
  const InterruptNoted interrupts;
  const std::int64_t cores = usable_cores();
  Comparison comparison = predict_all(options, cores);
  const bool whole = Rounds{comparison, options.repeats, cores}.run();
  options.format == Format::json ? write_json(std::cout, comparison) : write_table(std::cout, comparison);
  if (!whole) return kInterrupted;
  const LocalSummary summary = summarise(comparison.rows);
  if (summary.scored == 0) return kNothingDone;
  write_results(options, comparison);
  return summary.scored == summary.rows ? kSuccess : kSomeFailed;
}

}  // namespace shardsim::validate::local
