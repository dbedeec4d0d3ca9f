// The group of one rank, on the host: nothing to send.
#pragma once

#include <memory>

#include "kernels/communicator/communicator.hpp"

namespace shardsim::kernels {

[[nodiscard]] std::unique_ptr<Communicator> make_single_communicator();

}  // namespace shardsim::kernels
