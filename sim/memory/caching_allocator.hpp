// PyTorch's CUDA caching allocator: what it holds of the device for the tensors that live.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "sim/base/units.hpp"

namespace shardsim::memory {

/// fixed: every segment is one cudaMalloc; expandable: one segment a pool that grows and shrinks page by page
/// (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True).
enum class Segments { fixed, expandable };

/// The native allocator with its default settings and one stream, as the comment at the head of PyTorch's
/// c10/cuda/CUDACachingAllocator.cpp and the CUDA notes of its documentation describe it:
///  - sizes are rounded up to 512 B; up to 1 MiB they come from the small pool, else from the large one;
///  - the smallest free block of the pool that is large enough is taken (of equal ones that with the lowest address);
///  - else a segment is asked of the driver: 2 MiB for a small block, 20 MiB for one below 10 MiB, else the size
///  rounded
///    up to 2 MiB; expandable segments grow by pages of 2 MiB (small) and 20 MiB (large);
///  - a block is split where at least 512 B remain (small pool, expandable segments), or more than 1 MiB (large pool);
///    what is not split off counts as allocated;
///  - a freed block joins its free neighbours of the same segment; nothing goes back to the driver until an allocation
///    fails: then every segment (page) that is free as a whole does.
/// Cost: logarithmic in the number of free blocks.
class CachingAllocator {
 public:
  /// Names a live block; used again after free().
  using Id = std::size_t;

  explicit CachingAllocator(Segments segments = Segments::fixed,
                            Bytes capacity = Bytes{std::numeric_limits<std::int64_t>::max()})
      : segments_{segments}, capacity_{capacity.value()} {}

  /// Nothing where the device is full. A size of 0 takes the least block.
  [[nodiscard]] std::optional<Id> allocate(Bytes size);
  void free(Id id);

  /// torch.cuda.memory_allocated(), memory_reserved() and their maxima.
  [[nodiscard]] Bytes allocated() const { return Bytes{allocated_}; }
  [[nodiscard]] Bytes reserved() const { return Bytes{reserved_}; }
  [[nodiscard]] Bytes peak_allocated() const { return Bytes{peak_allocated_}; }
  [[nodiscard]] Bytes peak_reserved() const { return Bytes{peak_reserved_}; }
  /// The largest block that is reserved and not allocated.
  [[nodiscard]] Bytes largest_free_block() const;
  /// Peak reserved over peak allocated, minus one (what model::AllocatorBehaviour::fragmentation states); 0 before the
  /// first allocation.
  [[nodiscard]] double fragmentation() const;

 private:
  enum Pool : std::size_t { kSmall, kLarge, kPools };
  enum class State { used, cached, unmapped, gone };
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// Part of a segment; neighbours are linked in order of their addresses.
  struct Block {
    /// Within the pool's address space; segments do not touch.
    std::int64_t address = 0;
    std::int64_t size = 0;
    Pool pool = kSmall;
    State state = State::cached;
    std::size_t before = kNone;
    std::size_t after = kNone;
  };
  using Key = std::tuple<std::int64_t, std::int64_t, std::size_t>;  // size, address, block

  std::size_t add(const Block& block);
  void remove(std::size_t id);
  void cache(std::size_t id);
  void uncache(std::size_t id);
  /// A cached block of at least `size`, from the driver; kNone where the device is full.
  std::size_t grow(Pool pool, std::int64_t size);
  std::size_t new_segment(Pool pool, std::int64_t size);
  std::size_t expand(Pool pool, std::int64_t size);
  bool reserve(std::int64_t size);
  /// Cuts what lies behind `size` bytes off as a block of its own and returns it; it stays out of the free blocks.
  std::size_t cut(std::size_t id, std::int64_t size);
  [[nodiscard]] bool splits(const Block& block, std::int64_t size) const;
  /// Appends `id` to the block before it, where that is cached too.
  void join_with_before(std::size_t id);
  void release_cached();
  void unmap_pages(std::size_t id);

  Segments segments_;
  std::int64_t capacity_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> unused_;
  std::array<std::set<Key>, kPools> cached_;
  /// Where the next segment begins, and the last block of an expandable one.
  std::array<std::int64_t, kPools> next_address_{};
  std::array<std::size_t, kPools> last_{kNone, kNone};
  std::int64_t allocated_ = 0;
  std::int64_t reserved_ = 0;
  std::int64_t peak_allocated_ = 0;
  std::int64_t peak_reserved_ = 0;
};

}  // namespace shardsim::memory
