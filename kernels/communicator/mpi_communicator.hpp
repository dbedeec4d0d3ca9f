// Communicator over MPI, on host memory.
#pragma once

#include <mpi.h>

#include <memory>

#include "kernels/communicator/communicator.hpp"
#include "kernels/communicator/watchdog.hpp"

namespace shardsim::kernels {

/// Over a copy of `handle`, so that nothing else meets its messages. Collective. MPI must be initialised; every wait is
/// reported to `watchdog`, which must outlive the communicator.
[[nodiscard]] std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm handle, Watchdog& watchdog);

}  // namespace shardsim::kernels
