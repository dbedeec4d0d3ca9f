#include "validate/local/run.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>

#include "sim/base/problems.hpp"
#include "sim/cost/operator_time.hpp"
#include "sim/report/format.hpp"
#include "validate/local/options.hpp"
#include "validate/local/probe.hpp"
#include "validate/local/report.hpp"
#include "validate/write_file.hpp"

namespace shardsim::validate::local {
namespace {

enum ExitCode : int { kSuccess = 0, kSomeFailed = 1, kNothingDone = 2, kInterrupted = 130 };

/// Of one run without its start.
constexpr double kSecondsTimed = 1.2;
constexpr double kLeastTimed = 3.0;
constexpr double kMostTimed = 20.0;
/// Start of mpirun and of the ranks.
constexpr double kSecondsToStart = 0.8;
/// A run that takes so many times what it should is ended.
constexpr double kPatience = 20.0;

std::int64_t usable_cores() {
  cpu_set_t usable;
  return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
}

std::int64_t timed_iterations(double step) {
  return static_cast<std::int64_t>(std::clamp(std::round(kSecondsTimed / step), kLeastTimed, kMostTimed));
}

double seconds_of_run(double step) { return kSecondsToStart + static_cast<double>(timed_iterations(step) + 1) * step; }

/// Runs every job once a round, so that repeats lie far apart.
class Rounds {
 public:
  Rounds(Comparison& comparison, std::int64_t repeats, std::int64_t cores)
      : comparison_{comparison}, repeats_{repeats}, cores_{cores} {
    for (const Row& row : comparison.rows) {
      seconds_left_ += static_cast<double>(repeats) * seconds_of_run(row.predicted.step.predicted);
    }
  }

  /// False where it was interrupted.
  bool run() {
    for (std::int64_t round = 1; round <= repeats_; ++round) {
      for (Row& row : comparison_.rows) {
        if (row.failure.empty() && !run_once(row, round)) return false;
      }
    }
    return true;
  }

 private:
  bool run_once(Row& row, std::int64_t round) {
    const double step = row.predicted.step.predicted;
    std::cerr << "run " << ++done_ << " of " << repeats_ * static_cast<std::int64_t>(comparison_.rows.size())
              << ", about " << std::lround(seconds_left_) << " s left: " << row.job.name << std::flush;
    comparison_.drift.probes.push_back(probe_seconds(cores_));
    RunOutcome outcome = trainer_.run(row.job, timed_iterations(step), Seconds{kPatience * seconds_of_run(step)});
    seconds_left_ -= seconds_of_run(step);
    if (outcome.interrupted || InterruptNoted::interrupted()) {
      std::cerr << "\ninterrupted in round " << round << "; what is done follows\n";
      return false;
    }
    if (!outcome.failure.empty()) {
      row.failure = outcome.failure;
      std::cerr << ": FAILED: " << outcome.failure << std::endl;
      return true;
    }
    std::cerr << ": " << report::duration(Seconds{quantile(outcome.run.steps, 0.5)}) << " (predicted "
              << report::duration(Seconds{step}) << ")" << std::endl;
    row.runs.push_back(std::move(outcome.run));
    return true;
  }

  Comparison& comparison_;
  std::int64_t repeats_;
  std::int64_t cores_;
  Trainer trainer_;
  double seconds_left_ = 0.0;
  std::int64_t done_ = 0;
};

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
