#include "kernels/communicator/session.hpp"

#include <utility>

#include "kernels/communicator/checked_communicator.hpp"

namespace shardsim::kernels {

std::unique_ptr<Communicator> Session::checked_world() {
  std::unique_ptr<Communicator> data = world();
  return make_checked_communicator(std::move(data), world(), watchdog(), rank());
}

}  // namespace shardsim::kernels
