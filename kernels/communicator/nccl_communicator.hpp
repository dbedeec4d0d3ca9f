// Communicator over NCCL, on the memory of GPUs.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "kernels/communicator/communicator.hpp"
#include "kernels/communicator/launch_environment.hpp"
#include "kernels/communicator/watchdog.hpp"

namespace shardsim::kernels {

/// All calls are enqueued and return at once: collectives on `compute`, in its order; what is started runs on streams
/// of its own after what `compute` holds then, and wait() makes `compute` wait, not the host. all_reduce_value and
/// barrier wait on the host, watched. The current device is this rank's; one GPU belongs to one rank. Neighbours in the
/// group (a ring) have a channel for each direction, so that sends and receives may come in any order; the first
/// message of a group is collective over it. `host`: the same ranks over MPI, to tell the group's id.
[[nodiscard]] std::unique_ptr<Communicator> make_nccl_communicator(Communicator& host, cudaStream_t compute,
                                                                   Watchdog& watchdog);

/// The same without MPI, for the ranks of `job`: NCCL itself meets at its address (NCCL_COMM_ID, set for this process).
[[nodiscard]] std::unique_ptr<Communicator> make_nccl_communicator(const LaunchEnvironment& job, cudaStream_t compute,
                                                                   Watchdog& watchdog);

}  // namespace shardsim::kernels
