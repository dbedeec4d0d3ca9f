// Communicator over MPI, on host memory.
#pragma once

#include <mpi.h>

#include <memory>

#include "kernels/communicator/communicator.hpp"

namespace shardsim::kernels {

/// Over a copy of `handle`, so that nothing else meets its messages. Collective. MPI must be initialised.
[[nodiscard]] std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm handle);

}  // namespace shardsim::kernels
