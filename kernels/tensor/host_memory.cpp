#include "kernels/tensor/host_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>

#include "sim/base/check.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) (static_cast<void>(address), static_cast<void>(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) (static_cast<void>(address), static_cast<void>(size))
#endif

namespace shardsim::kernels {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// Pages are taken only when touched, so a region costs address space alone.
constexpr std::size_t kRegion = std::size_t{1} << 30;

std::size_t rounded_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

}  // namespace

HostMemory::~HostMemory() {
  for (const auto& [start, length] : regions_) {
    ASAN_UNPOISON_MEMORY_REGION(start, length);
    munmap(start, length);
  }
}

void* HostMemory::allocate(Bytes size) {
  const std::size_t needed = rounded_up(std::max<std::size_t>(static_cast<std::size_t>(size.value()), 1), kAlignment);
  const auto fits = [&](const Blocks::value_type& block) { return block.second >= needed; };
  auto found = std::find_if(free_.begin(), free_.end(), fits);
  if (found == free_.end()) {
    map_region(needed);
    found = std::find_if(free_.begin(), free_.end(), fits);
  }
  const auto [start, length] = *found;
  free_.erase(found);
  if (length > needed) free_.emplace(start + needed, length - needed);
  used_.emplace(start, needed);
  ASAN_UNPOISON_MEMORY_REGION(start, static_cast<std::size_t>(size.value()));
  return start;
}

void HostMemory::release(void* data) noexcept {
  const auto found = used_.find(static_cast<std::byte*>(data));
  SHARDSIM_CHECK(found != used_.end(), "released twice or never allocated");
  add_free(found->first, found->second);
  used_.erase(found);
}

Bytes HostMemory::reserved() const {
  Bytes sum{0};
  for (const auto& region : regions_) sum += Bytes{static_cast<std::int64_t>(region.second)};
  return sum;
}

void HostMemory::map_region(std::size_t at_least) {
  const std::size_t length = rounded_up(std::max(at_least, kRegion), kHugePage);
  void* start = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw OutOfMemory(Bytes{static_cast<std::int64_t>(at_least)}, "this machine");
  // Only a hint: fewer page faults and address translations where the kernel grants it.
  madvise(start, length, MADV_HUGEPAGE);
  regions_.emplace(static_cast<std::byte*>(start), length);
  add_free(static_cast<std::byte*>(start), length);
}

void HostMemory::add_free(std::byte* start, std::size_t length) {
  ASAN_POISON_MEMORY_REGION(start, length);
  const auto next = free_.upper_bound(start);
  const bool joins_next = next != free_.end() && start + length == next->first;
  if (joins_next) length += next->second;
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == start) {
      previous->second += length;
      if (joins_next) free_.erase(next);
      return;
    }
  }
  if (joins_next) free_.erase(next);
  free_.emplace(start, length);
}

}  // namespace shardsim::kernels
