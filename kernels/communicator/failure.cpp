#include "kernels/communicator/failure.hpp"

#include <exception>
#include <iostream>

#include "sim/base/problems.hpp"

namespace shardsim::kernels {
namespace {

constexpr int kBadInput = 2;

}  // namespace

Failure current_failure() {
  try {
    throw;
  } catch (const InputError& error) {
    return {error.what(), kBadInput};
  } catch (const std::exception& error) {
    return {error.what(), kFailureExitCode};
  } catch (...) {
    return {"unknown exception", kFailureExitCode};
  }
}

void print_failure(const Failure& failure, int rank, int size) {
  std::string text = "shardsim: ";
  if (size > 1) text += "rank " + std::to_string(rank) + " of " + std::to_string(size) + ": ";
  // One write, so that the lines of several ranks do not mix.
  std::cerr << text + failure.message + "\n" << std::flush;
}

}  // namespace shardsim::kernels
