// What tests that run as several ranks share.
#pragma once

#include "kernels/communicator/session.hpp"

namespace shardsim::test {

/// This rank's session, for the whole of the binary (shardsim_mpi_test).
[[nodiscard]] kernels::Session& session();

}  // namespace shardsim::test
