// An exception that reaches a rank's outermost function, as the user reads it.
#pragma once

#include <string>

namespace shardsim::kernels {

struct Failure {
  std::string message;
  int exit_code = 0;
};

/// What ends a job that is not the user's fault, as SHARDSIM_CHECK's failures do.
inline constexpr int kFailureExitCode = 70;

/// Of the exception being handled: InputError 2, the rest 70. Call within a catch block.
[[nodiscard]] Failure current_failure();

/// "shardsim: rank 3 of 8: message"; without the rank when it is alone.
void print_failure(const Failure& failure, int rank, int size);

}  // namespace shardsim::kernels
