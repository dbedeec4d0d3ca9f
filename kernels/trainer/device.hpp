// What one rank computes on and talks over: a CPU core and MPI, or a GPU and NCCL.
#pragma once

#include <memory>
#include <string>

#include "kernels/checkpoint/transport.hpp"
#include "kernels/communicator/session.hpp"
#include "kernels/operators/backend.hpp"
#include "kernels/trainer/train_options.hpp"

namespace shardsim::kernels {

struct Device {
  std::unique_ptr<Backend> backend;
  /// All ranks, over the backend's memory.
  std::unique_ptr<Communicator> world;
  /// The same ranks over host memory; null where the GPUs' ranks met without MPI (torchrun).
  std::unique_ptr<Communicator> host;
  bool gpu = false;
  /// Memory that the ranks of one machine share (CPU), or that this rank has alone (GPU).
  Bytes memory;

  /// Copies between host and backend.
  [[nodiscard]] Transport transport() const;
};

/// Whether to use the GPU: as asked for, or by itself where there is one. Throws InputError (--backend) saying what is
/// missing where it was asked for: the build, the driver, the GPU.
[[nodiscard]] bool chooses_gpu(BackendKind asked);

/// Ranks of the job: the session's, or those that torchrun or Slurm started for GPUs without MPI.
[[nodiscard]] int job_size(const Session& session, bool gpu);

/// Opens this rank's device; a GPU is that of the rank's number on its machine. Collective.
[[nodiscard]] Device open_device(Session& session, bool gpu, bool checks_collectives);

}  // namespace shardsim::kernels
