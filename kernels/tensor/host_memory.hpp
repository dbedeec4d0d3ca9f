// The host's memory as one pool: blocks are reused without returning pages, since a training step frees and allocates
// the same sizes again and new pages cost more than many operators.
#pragma once

#include <cstddef>
#include <map>

#include "kernels/tensor/memory.hpp"

namespace shardsim::kernels {

/// First fit by address over large mapped regions, with freed neighbours joined: resident memory stays near the peak
/// of what is in use. Blocks are aligned to 64 bytes (a cache line, an AVX-512 register). Not thread-safe.
class HostMemory final : public RawMemory {
 public:
  HostMemory() = default;
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() override;

  /// Never null, also for 0 bytes. Contents are undefined.
  [[nodiscard]] void* allocate(Bytes size) override;
  void release(void* data) noexcept override;

  /// Address space taken from the system so far.
  [[nodiscard]] Bytes reserved() const;

 private:
  using Blocks = std::map<std::byte*, std::size_t>;  // start and length

  void map_region(std::size_t at_least);
  void add_free(std::byte* start, std::size_t length);

  Blocks regions_;
  Blocks free_;
  Blocks used_;
};

}  // namespace shardsim::kernels
