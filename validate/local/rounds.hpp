// The runs themselves: every job once a round, with the time left, watched for disturbances.
#pragma once

#include <cstdint>

#include "validate/local/report.hpp"

namespace shardsim::validate::local {

/// Repeats of a job lie a round apart, so that a machine that drifts shows as their spread. A run beside which other
/// programs took more than a twentieth of a core is run again, as long as there are not too many of them.
class Rounds {
 public:
  /// Runs go to the comparison's rows, which may change between rounds. Throws InputError where nothing can be run.
  Rounds(Comparison& comparison, std::int64_t rounds, std::int64_t cores);

  /// One round. Progress goes to standard error. False where it was interrupted.
  [[nodiscard]] bool run();

 private:
  /// What became of one try.
  enum class Try { done, disturbed, failed, interrupted };

  [[nodiscard]] bool run_job(Row& row);
  [[nodiscard]] Try try_once(Row& row);
  [[nodiscard]] double seconds_left() const;

  Comparison& comparison_;
  std::int64_t rounds_;
  std::int64_t cores_;
  Trainer trainer_;
  std::int64_t done_ = 0;
};

}  // namespace shardsim::validate::local
