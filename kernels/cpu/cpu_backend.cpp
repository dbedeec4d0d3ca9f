#include "kernels/cpu/cpu_backend.hpp"

#include <cstring>

#include "kernels/tensor/host_memory.hpp"

namespace shardsim::kernels {

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<CpuBackend>(); }

std::unique_ptr<RawMemory> CpuBackend::memory() { return std::make_unique<HostMemory>(); }

void CpuBackend::upload(const void* host, void* device, Bytes bytes) {
  if (bytes > Bytes{0}) std::memcpy(device, host, static_cast<std::size_t>(bytes.value()));
}

void CpuBackend::download(const void* device, void* host, Bytes bytes) { upload(device, host, bytes); }

}  // namespace shardsim::kernels
