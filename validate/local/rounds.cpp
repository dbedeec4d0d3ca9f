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

Rounds::Rounds(Comparison& comparison, std::int64_t repeats, std::int64_t cores)
    : comparison_{comparison}, repeats_{repeats}, cores_{cores} {
  for (const Row& row : comparison.rows) {
    seconds_left_ += static_cast<double>(repeats) * seconds_of_run(row.predicted.step.predicted);
  }
}

bool Rounds::run() {
  for (std::int64_t round = 0; round < repeats_; ++round) {
    for (Row& row : comparison_.rows) {
      if (row.failure.empty() && !run_job(row)) {
        std::cerr << "\ninterrupted; what is done follows" << std::endl;
        return false;
      }
    }
  }
  return true;
}

bool Rounds::run_job(Row& row) {
  const auto all = repeats_ * static_cast<std::int64_t>(comparison_.rows.size());
  std::cerr << "run " << ++done_ << " of " << all << ", about " << std::lround(seconds_left_)
            << " s left: " << row.job.name << std::flush;
  const Try first = try_once(row);
  const bool again = first == Try::disturbed &&
                     static_cast<double>(comparison_.drift.run_again) < kMostRunAgain * static_cast<double>(all);
  if (again) {
    std::cerr << "; again" << std::flush;
    row.runs.pop_back();
    ++comparison_.drift.run_again;
  }
  const Try last = again ? try_once(row) : first;
  seconds_left_ -= seconds_of_run(row.predicted.step.predicted);
  std::cerr << std::endl;
  return last != Try::interrupted;
}

Rounds::Try Rounds::try_once(Row& row) {
  const double step = row.predicted.step.predicted;
  comparison_.drift.probes.push_back(probe_seconds(cores_));
  RunOutcome outcome = trainer_.run(row.job, timed_iterations(step), Seconds{kPatience * seconds_of_run(step)});
  if (outcome.interrupted || InterruptNoted::interrupted()) return Try::interrupted;
  if (!outcome.failure.empty()) {
    row.failure = outcome.failure;
    std::cerr << ": FAILED: " << outcome.failure;
    return Try::failed;
  }
  std::cerr << ": " << report::duration(Seconds{quantile(outcome.run.steps, 0.5)}) << ", predicted "
            << report::duration(Seconds{step});
  const bool disturbed = outcome.run.others > kDisturbance;
  if (disturbed) std::cerr << " (others used " << report::fixed(outcome.run.others, 2) << " cores)";
  row.runs.push_back(std::move(outcome.run));
  return disturbed ? Try::disturbed : Try::done;
}

}  // namespace shardsim::validate::local
