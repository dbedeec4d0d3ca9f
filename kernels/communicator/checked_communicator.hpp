// A communicator that asks before it acts: do all ranks of the group want the same?
#pragma once

#include <memory>

#include "kernels/communicator/communicator.hpp"
#include "kernels/communicator/watchdog.hpp"

namespace shardsim::kernels {

/// Before each collective on `data` every rank tells every other one, over `control`, its place in the sequence, kind,
/// size, format and reduction; a difference throws CommunicatorError that names the ranks and both wishes, and a rank
/// that does not come is named by the watchdog. A message is preceded by its size and format. Slow, and collectives no
/// longer overlap: groups must be used in one order on all ranks, as NCCL also demands. `control`: the same ranks in
/// the same order, on host memory, used for nothing else. `job_rank`: this rank in the whole job, for messages.
/// Collective.
[[nodiscard]] std::unique_ptr<Communicator> make_checked_communicator(std::unique_ptr<Communicator> data,
                                                                      std::unique_ptr<Communicator> control,
                                                                      Watchdog& watchdog, int job_rank);

}  // namespace shardsim::kernels
