// Training a job for some iterations with the program beside this one, and what it showed.
#pragma once

#include <string>
#include <vector>

#include "validate/local/jobs.hpp"
#include "validate/local/operator_times.hpp"
#include "validate/local/process.hpp"

namespace shardsim::validate::local {

struct Run {
  /// Seconds of every iteration but the first, which warms up.
  std::vector<double> steps;
  /// Of the rank that needs most: its own allocator's peak.
  double allocated = 0.0;
  /// Of the process that needs most.
  double resident = 0.0;
  /// Undisturbed, of the rank that computes longest; rest fills up to the step.
  OperatorTimes operators;
  /// Seconds of the probe, before and after it (mean).
  double probe = 0.0;
  /// Cores that other programs kept busy meanwhile, on average.
  double others = 0.0;
};

struct RunOutcome {
  Run run;
  /// Why there is no run; empty = there is one.
  std::string failure;
  bool interrupted = false;
};

class Trainer {
 public:
  /// Throws InputError where shardsim-train is not built, mpirun is missing, or no folder for records can be made.
  Trainer();
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// `timed` iterations after the first one. Ranks are bound to cores. Never throws for a run that fails.
  [[nodiscard]] RunOutcome run(const Job& job, std::int64_t timed, Seconds limit) const;

 private:
  [[nodiscard]] std::vector<std::string> command(const Job& job, std::int64_t iterations) const;

  std::string program_;
  std::string folder_;
};

/// "elapsed time per iteration (ms)" of every line of the trainer's log.
[[nodiscard]] std::vector<double> step_seconds(const std::string& log);

/// "peak allocated" of the trainer's log in bytes; 0 where it is missing.
[[nodiscard]] double peak_allocated(const std::string& log);

/// The program `shardsim-<name>` beside this one. Throws InputError where it is not built.
[[nodiscard]] std::string sibling_program(const std::string& name);

}  // namespace shardsim::validate::local
