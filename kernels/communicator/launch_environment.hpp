// What torchrun and Slurm tell a process of the job that it belongs to.
#pragma once

#include <functional>
#include <string>

namespace shardsim::kernels {

struct LaunchEnvironment {
  int rank = 0;
  int size = 1;
  /// Among the ranks of this machine: which GPU is ours.
  int local_rank = 0;
  /// Where rank 0 can be reached; "host:port", empty for one rank.
  std::string address;
};

/// The value of a variable, or null.
using ReadVariable = std::function<const char*(const char* name)>;

/// torchrun: RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT; Slurm: SLURM_PROCID, SLURM_NTASKS, SLURM_LOCALID
/// and the same two addresses, or the step's launching node; without either, one rank. torchrun itself listens on
/// MASTER_PORT, so that the port after it is taken. Throws InputError naming the variable that is missing or no number.
[[nodiscard]] LaunchEnvironment launch_environment(const ReadVariable& read);

}  // namespace shardsim::kernels
