// `shardsim calibrate`: measures this machine and writes its profile.
#pragma once

#include "sim/cli/command.hpp"

namespace shardsim::calibrate {

/// Starts one rank on each core unless mpirun or srun has started this process. Returns the exit code.
[[nodiscard]] int run_measuring(const cli::Arguments& words);

}  // namespace shardsim::calibrate
