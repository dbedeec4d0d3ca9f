#include "sim/memory/caching_allocator.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace shardsim::memory {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;
constexpr std::int64_t kLeastBlock = 512;
constexpr std::int64_t kLargestSmall = 1 * kMiB;
constexpr std::int64_t kSmallSegment = 2 * kMiB;
constexpr std::int64_t kLargeSegment = 20 * kMiB;
/// From here on a segment is as large as its block, rounded.
constexpr std::int64_t kLeastOwnSegment = 10 * kMiB;
constexpr std::int64_t kOwnSegmentRounding = 2 * kMiB;

constexpr std::int64_t round_up(std::int64_t size, std::int64_t to) { return (size + to - 1) / to * to; }

constexpr std::int64_t segment_size(std::int64_t block) {
  if (block <= kLargestSmall) return kSmallSegment;
  return block < kLeastOwnSegment ? kLargeSegment : round_up(block, kOwnSegmentRounding);
}

}  // namespace

std::optional<CachingAllocator::Id> CachingAllocator::allocate(Bytes size) {
  SHARDSIM_CHECK(size >= Bytes{0}, "a block of negative size");
  const std::int64_t rounded = std::max(kLeastBlock, round_up(size.value(), kLeastBlock));
  const Pool pool = rounded <= kLargestSmall ? kSmall : kLarge;
  const auto best = cached_[pool].lower_bound({rounded, std::numeric_limits<std::int64_t>::min(), 0});
  std::size_t id = best != cached_[pool].end() ? std::get<2>(*best) : grow(pool, rounded);
  if (id == kNone) {
    release_cached();
    id = grow(pool, rounded);
  }
  if (id == kNone) return std::nullopt;
  uncache(id);
  if (splits(blocks_[id], rounded)) cache(cut(id, rounded));
  blocks_[id].state = State::used;
  allocated_ += blocks_[id].size;
  peak_allocated_ = std::max(peak_allocated_, allocated_);
  return id;
}

void CachingAllocator::free(Id id) {
  SHARDSIM_CHECK(id < blocks_.size() && blocks_[id].state == State::used, "free of a block that is not allocated");
  allocated_ -= blocks_[id].size;
  const std::size_t before = blocks_[id].before;
  const std::size_t after = blocks_[id].after;
  blocks_[id].state = State::cached;
  if (after != kNone && blocks_[after].state == State::cached) {
    uncache(after);
    join_with_before(after);
  }
  if (before != kNone && blocks_[before].state == State::cached) {
    uncache(before);
    join_with_before(id);
    id = before;
  }
  cache(id);
}

Bytes CachingAllocator::largest_free_block() const {
  std::int64_t largest = 0;
  for (const std::set<Key>& pool : cached_) {
    if (!pool.empty()) largest = std::max(largest, std::get<0>(*pool.rbegin()));
  }
  return Bytes{largest};
}

double CachingAllocator::fragmentation() const {
  if (peak_allocated_ == 0) return 0.0;
  return static_cast<double>(peak_reserved_) / static_cast<double>(peak_allocated_) - 1.0;
}

std::size_t CachingAllocator::add(const Block& block) {
  if (unused_.empty()) {
    blocks_.push_back(block);
    return blocks_.size() - 1;
  }
  const std::size_t id = unused_.back();
  unused_.pop_back();
  blocks_[id] = block;
  return id;
}

void CachingAllocator::remove(std::size_t id) {
  const Block& block = blocks_[id];
  if (block.before != kNone) blocks_[block.before].after = block.after;
  if (block.after != kNone) blocks_[block.after].before = block.before;
  if (last_[block.pool] == id) last_[block.pool] = block.before;
  blocks_[id].state = State::gone;
  unused_.push_back(id);
}

void CachingAllocator::cache(std::size_t id) {
  blocks_[id].state = State::cached;
  cached_[blocks_[id].pool].insert({blocks_[id].size, blocks_[id].address, id});
}

void CachingAllocator::uncache(std::size_t id) {
  cached_[blocks_[id].pool].erase({blocks_[id].size, blocks_[id].address, id});
}

bool CachingAllocator::reserve(std::int64_t size) {
  if (size > capacity_ - reserved_) return false;
  reserved_ += size;
  peak_reserved_ = std::max(peak_reserved_, reserved_);
  return true;
}

std::size_t CachingAllocator::grow(Pool pool, std::int64_t size) {
  return segments_ == Segments::expandable ? expand(pool, size) : new_segment(pool, segment_size(size));
}

std::size_t CachingAllocator::new_segment(Pool pool, std::int64_t size) {
  if (!reserve(size)) return kNone;
  const std::size_t id = add({next_address_[pool], size, pool, State::cached, kNone, kNone});
  next_address_[pool] += size;
  cache(id);
  return id;
}

std::size_t CachingAllocator::expand(Pool pool, std::int64_t size) {
  std::size_t id = last_[pool];
  const bool joins = id != kNone && blocks_[id].state == State::cached;
  const std::int64_t more =
      round_up(size - (joins ? blocks_[id].size : 0), pool == kSmall ? kSmallSegment : kLargeSegment);
  if (!reserve(more)) return kNone;
  if (joins) {
    uncache(id);
    blocks_[id].size += more;
  } else {
    const std::size_t before = id;
    id = add({next_address_[pool], more, pool, State::cached, before, kNone});
    if (before != kNone) blocks_[before].after = id;
    last_[pool] = id;
  }
  next_address_[pool] += more;
  cache(id);
  return id;
}

bool CachingAllocator::splits(const Block& block, std::int64_t size) const {
  const std::int64_t rest = block.size - size;
  const bool finely = block.pool == kSmall || segments_ == Segments::expandable;
  return finely ? rest >= kLeastBlock : rest > kLargestSmall;
}

std::size_t CachingAllocator::cut(std::size_t id, std::int64_t size) {
  const Block whole = blocks_[id];
  const std::size_t rest = add({whole.address + size, whole.size - size, whole.pool, State::cached, id, whole.after});
  blocks_[id].size = size;
  blocks_[id].after = rest;
  if (whole.after != kNone) blocks_[whole.after].before = rest;
  if (last_[whole.pool] == id) last_[whole.pool] = rest;
  return rest;
}

void CachingAllocator::join_with_before(std::size_t id) {
  blocks_[blocks_[id].before].size += blocks_[id].size;
  remove(id);
}

void CachingAllocator::release_cached() {
  for (std::set<Key>& pool : cached_) {
    std::vector<std::size_t> ids;
    ids.reserve(pool.size());
    for (const Key& key : pool) ids.push_back(std::get<2>(key));
    for (const std::size_t id : ids) {
      if (segments_ == Segments::expandable) {
        unmap_pages(id);
      } else if (blocks_[id].before == kNone && blocks_[id].after == kNone) {
        uncache(id);
        reserved_ -= blocks_[id].size;
        remove(id);
      }
    }
  }
}

/// The whole pages inside a cached block go back; their addresses are not used again.
void CachingAllocator::unmap_pages(std::size_t id) {
  const std::int64_t page = blocks_[id].pool == kSmall ? kSmallSegment : kLargeSegment;
  const std::int64_t end = (blocks_[id].address + blocks_[id].size) / page * page;
  const std::int64_t begin = std::min(end, round_up(blocks_[id].address, page));
  if (begin == end) return;
  uncache(id);
  if (end < blocks_[id].address + blocks_[id].size) cache(cut(id, end - blocks_[id].address));
  if (begin > blocks_[id].address) {
    const std::size_t pages = cut(id, begin - blocks_[id].address);
    cache(id);
    id = pages;
  }
  blocks_[id].state = State::unmapped;
  reserved_ -= end - begin;
}

}  // namespace shardsim::memory
