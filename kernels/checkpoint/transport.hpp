// Between the memory that is trained in and the host, and between ranks that write one checkpoint.
#pragma once

#include <cstring>
#include <filesystem>
#include <functional>

#include "kernels/communicator/communicator.hpp"

namespace shardsim::kernels {

/// Copies of whole buffers, complete on return; by default both are host memory. On a GPU: Backend::download, upload.
struct Transport {
  std::function<void(const void* device, void* host, Bytes size)> download = [](const void* device, void* host,
                                                                                Bytes size) {
    std::memcpy(host, device, static_cast<std::size_t>(size.value()));
  };
  std::function<void(const void* host, void* device, Bytes size)> upload = [](const void* host, void* device,
                                                                              Bytes size) {
    std::memcpy(device, host, static_cast<std::size_t>(size.value()));
  };
};

/// Runs `work` on every rank and waits for all. Where one fails, `clean_up` runs on rank 0 and all throw, the failing
/// one its own error. Collective.
void all_or_none(Communicator& world, const std::function<void()>& work, const std::function<void()>& clean_up);

}  // namespace shardsim::kernels
