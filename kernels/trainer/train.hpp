// `shardsim train` as one rank runs it.
#pragma once

#include "kernels/communicator/session.hpp"
#include "kernels/trainer/train_options.hpp"

namespace shardsim::kernels {

/// Trains to the end and returns the exit code: 0, or 3 where the run does not fit into this machine's memory.
[[nodiscard]] int train(Session& session, TrainOptions options, const Problems& problems);

}  // namespace shardsim::kernels
