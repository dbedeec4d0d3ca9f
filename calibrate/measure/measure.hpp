// Runs a plan on the ranks of a job and keeps what they measured.
#pragma once

#include <string>

#include "calibrate/measure/local_samples.hpp"
#include "calibrate/measure/plan.hpp"
#include "kernels/communicator/session.hpp"

namespace shardsim::calibrate {

struct MeasureOptions {
  /// Grows sample by sample.
  std::string samples_file;
  /// Goes on with the table that is there.
  bool resume = false;
};

/// What this rank knows of its machine; the same on all ranks but for the host's name, which is the first rank's.
[[nodiscard]] Machine this_machine(const kernels::Session& session);

/// Ties this process to one of the cores that it may use, by its rank on the node; nothing where it is tied already.
void pin_to_core(std::int64_t local_rank);

/// All samples on the first rank (on the others only their number is right). Throws InputError where the table cannot
/// be continued or a result is wrong.
[[nodiscard]] LocalSamples measure_machine(kernels::Session& session, const Plan& plan, const MeasureOptions& options);

}  // namespace shardsim::calibrate
