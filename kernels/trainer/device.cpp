#include "kernels/trainer/device.hpp"

#include <unistd.h>

#include <cstdlib>

#include "kernels/communicator/launch_environment.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "sim/base/check.hpp"
#include "sim/base/problems.hpp"
#ifdef SHARDSIM_WITH_GPU
#include "kernels/communicator/single_communicator.hpp"
#include "kernels/gpu/cuda_backend.hpp"
#include "kernels/gpu/errors.hpp"
#endif
#ifdef SHARDSIM_WITH_NCCL
#include "kernels/communicator/nccl_communicator.hpp"
#endif

namespace shardsim::kernels {
namespace {

Bytes machine_memory() { return Bytes{std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE)}; }

LaunchEnvironment environment() {
  return launch_environment([](const char* name) { return std::getenv(name); });
}

/// Why this process cannot compute on a GPU; empty = it can.
std::string missing_gpu() {
#ifdef SHARDSIM_WITH_GPU
  try {
    return gpu::device_count() > 0 ? "" : "this machine has no GPU";
  } catch (const gpu::DeviceError& error) {
    return error.what();
  }
#else
  return "this program was built without a CUDA toolkit";
#endif
}

[[noreturn]] void refuse(const std::string& why) {
  throw InputError({Problem{{"command line", 0, "--backend"}, "", "gpu", why + "; cpu would be right"}});
}

#ifdef SHARDSIM_WITH_GPU
/// This rank's number on its machine, as Open MPI, torchrun or Slurm tell.
int local_rank() {
  const char* told = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  return told != nullptr ? std::atoi(told) : environment().local_rank;
}

std::unique_ptr<Communicator> gpu_world(Session& session, Communicator* host, cudaStream_t stream) {
#ifdef SHARDSIM_WITH_NCCL
  if (host != nullptr && host->size() > 1) return make_nccl_communicator(*host, stream, session.watchdog());
  if (host == nullptr) return make_nccl_communicator(environment(), stream, session.watchdog());
#else
  (void)stream;
  if (job_size(session, true) > 1) refuse("this program was built without NCCL, which several GPUs need");
#endif
  return make_single_communicator();
}

Device open_gpu(Session& session) {
  Device device;
  device.gpu = true;
  auto backend = std::make_unique<gpu::CudaBackend>(local_rank());
  device.memory = gpu::memory_of(local_rank());
  if (session.size() == job_size(session, true)) device.host = session.world();
  device.world = gpu_world(session, device.host.get(), backend->stream());
  device.backend = std::move(backend);
  return device;
}
#endif

}  // namespace

Transport Device::transport() const {
  Backend* owner = backend.get();
  return {[owner](const void* from, void* to, Bytes size) { owner->download(from, to, size); },
          [owner](const void* from, void* to, Bytes size) { owner->upload(from, to, size); }};
}

bool chooses_gpu(BackendKind asked) {
  if (asked == BackendKind::cpu) return false;
  const std::string missing = missing_gpu();
  if (asked == BackendKind::gpu && !missing.empty()) refuse(missing);
  return missing.empty();
}

int job_size(const Session& session, bool gpu) {
  return gpu && session.size() == 1 ? environment().size : session.size();
}

Device open_device(Session& session, bool gpu, bool checks_collectives) {
#ifdef SHARDSIM_WITH_GPU
  if (gpu) return open_gpu(session);
#endif
  Device device;
  device.backend = make_cpu_backend();
  device.world = checks_collectives ? session.checked_world() : session.world();
  device.host = session.world();
  device.memory = machine_memory();
  SHARDSIM_CHECK(!gpu, "a GPU without its backend");
  return device;
}

}  // namespace shardsim::kernels
