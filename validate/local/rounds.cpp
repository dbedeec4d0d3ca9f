#include "validate/local/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "sim/report/format.hpp"
#include "validate/local/probe.hpp"

namespace shardsim::validate::local {
namespace {

/// Of one run without its start.
constexpr double kSecondsTimed = 1.2;
constexpr double kLeastTimed = 3.0;
constexpr double kMostTimed = 20.0;
/// Start of mpirun and of the ranks.
constexpr double kSecondsToStart = 0.8;
/// A run that takes so many times what it should is ended.
constexpr double kPatience = 20.0;
/// Cores kept busy by others: beyond it a run does not count, unless it is one of too many.
constexpr double kDisturbance = 0.05;
/// Of all runs, those that may be run again.
constexpr double kMostRunAgain = 0.25;

std::int64_t timed_iterations(double step) {
  return static_cast<std::int64_t>(std::clamp(std::round(kSecondsTimed / step), kLeastTimed, kMostTimed));
}

double seconds_of_run(double step) { return kSecondsToStart + static_cast<double>(timed_iterations(step) + 1) * step; }

}  // namespace

Rounds::Rounds(Comparison& comparison, std::int64_t rounds, std::int64_t cores)
    : comparison_{comparison}, rounds_{rounds}, cores_{cores} {}

bool Rounds::run() {
  for (Row& row : comparison_.rows) {
    if (!run_job(row)) {
      std::cerr << "interrupted; what is done follows" << std::endl;
      return false;
    }
  }
  return true;
}

double Rounds::seconds_left() const {
  const auto rows = static_cast<std::int64_t>(comparison_.rows.size());
  double seconds = 0.0;
  for (std::int64_t i = done_; i < rounds_ * rows; ++i) {
    seconds += seconds_of_run(comparison_.rows[static_cast<std::size_t>(i % rows)].predicted.step.predicted);
  }
  return seconds;
}

bool Rounds::run_job(Row& row) {
  const auto all = rounds_ * static_cast<std::int64_t>(comparison_.rows.size());
  const double left = seconds_left();
  ++done_;
  if (!row.failure.empty()) return true;
  std::cerr << "run " << done_ << " of " << all << ", about " << std::lround(left) << " s left: " << row.job.name
            << std::flush;
  Try outcome = try_once(row);
  const bool few = static_cast<double>(comparison_.run_again) < kMostRunAgain * static_cast<double>(all);
  if (outcome == Try::disturbed && few) {
    std::cerr << "; again" << std::flush;
    ++comparison_.run_again;
    outcome = try_once(row);
    const bool replaced = outcome == Try::done || outcome == Try::disturbed;
    if (replaced) row.runs.erase(row.runs.end() - 2);
  }
  std::cerr << std::endl;
  return outcome != Try::interrupted;
}

Rounds::Try Rounds::try_once(Row& row) {
  const double step = row.predicted.step.predicted;
  const double probe_before = probe_seconds(cores_);
  RunOutcome outcome = trainer_.run(row.job, timed_iterations(step), Seconds{kPatience * seconds_of_run(step)});
  if (outcome.interrupted || InterruptNoted::interrupted()) return Try::interrupted;
  if (!outcome.failure.empty()) {
    row.failure = outcome.failure;
    std::cerr << ": FAILED: " << outcome.failure;
    return Try::failed;
  }
  outcome.run.probe = 0.5 * (probe_before + probe_seconds(cores_));
  std::cerr << ": " << report::duration(Seconds{quantile(outcome.run.steps, kUndisturbed)}) << ", predicted "
            << report::duration(Seconds{step});
  const bool disturbed = outcome.run.others > kDisturbance;
  if (disturbed) std::cerr << " (others used " << report::fixed(outcome.run.others, 2) << " cores)";
  row.runs.push_back(std::move(outcome.run));
  return disturbed ? Try::disturbed : Try::done;
}

}  // namespace shardsim::validate::local
