#include "kernels/checkpoint/transport.hpp"

#include <chrono>
#include <exception>
#include <thread>

namespace shardsim::kernels {

void all_or_none(Communicator& world, const std::function<void()>& work, const std::function<void()>& clean_up) {
  std::exception_ptr error;
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  const double failed = world.all_reduce_value(error == nullptr ? 0.0 : 1.0, Reduction::maximum);
  if (failed == 0.0) return;
  if (world.rank() == 0) clean_up();
  if (error != nullptr) std::rethrow_exception(error);
  // The rank that knows the cause tells it and ends the job; only if it cannot do so is this one heard.
  std::this_thread::sleep_for(std::chrono::seconds(2));
  throw CommunicatorError("another rank failed to write its part of a checkpoint");
}

}  // namespace shardsim::kernels
