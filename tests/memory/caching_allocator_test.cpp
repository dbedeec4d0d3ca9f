#include "sim/memory/caching_allocator.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "sim/base/check.hpp"

namespace shardsim::memory {
namespace {

CachingAllocator::Id take(CachingAllocator& allocator, Bytes size) {
  const auto id = allocator.allocate(size);
  EXPECT_TRUE(id.has_value());
  return id.value_or(0);
}

// 1 B takes 512 B of a 2 MiB segment; 513 B take 1 KiB of the same.
TEST(CachingAllocator, RoundsTo512BytesInSmallSegments) {
  CachingAllocator allocator;
  (void)take(allocator, Bytes{1});
  EXPECT_EQ(allocator.allocated(), Bytes{512});
  EXPECT_EQ(allocator.reserved(), 2_MiB);
  (void)take(allocator, Bytes{513});
  EXPECT_EQ(allocator.allocated(), Bytes{1536});
  EXPECT_EQ(allocator.reserved(), 2_MiB);
  EXPECT_EQ(allocator.largest_free_block(), 2_MiB - Bytes{1536});
  (void)take(allocator, 1_MiB);  // small still, and 2 MiB − 1.5 KiB hold it
  (void)take(allocator, 1_MiB);  // 1 MiB − 1.5 KiB do not
  EXPECT_EQ(allocator.reserved(), 4_MiB);
}

TEST(CachingAllocator, SegmentsBySize) {
  const auto reserved_for = [](Bytes size) {
    CachingAllocator allocator;
    (void)take(allocator, size);
    return allocator.reserved();
  };
  EXPECT_EQ(reserved_for(1_MiB), 2_MiB);
  EXPECT_EQ(reserved_for(1_MiB + Bytes{1}), 20_MiB);
  EXPECT_EQ(reserved_for(10_MiB - Bytes{512}), 20_MiB);
  EXPECT_EQ(reserved_for(10_MiB), 10_MiB);
  EXPECT_EQ(reserved_for(10_MiB + Bytes{1}), 12_MiB);
  EXPECT_EQ(reserved_for(101_MiB), 102_MiB);
}

// 19 MiB from a free 20 MiB block leave exactly 1 MiB: not split, the whole block counts. One block less than that is.
TEST(CachingAllocator, LargeBlocksSplitWhereMoreThanOneMebibyteRemains) {
  CachingAllocator allocator;
  allocator.free(take(allocator, 20_MiB));
  const auto whole = take(allocator, 19_MiB);
  EXPECT_EQ(allocator.allocated(), 20_MiB);
  EXPECT_EQ(allocator.largest_free_block(), Bytes{0});
  allocator.free(whole);
  (void)take(allocator, 19_MiB - Bytes{512});
  EXPECT_EQ(allocator.allocated(), 19_MiB - Bytes{512});
  EXPECT_EQ(allocator.largest_free_block(), 1_MiB + Bytes{512});
  EXPECT_EQ(allocator.reserved(), 20_MiB);
}

// Free blocks of 40, 30 and 60 MiB: 28 MiB come from the 30.
TEST(CachingAllocator, TakesTheSmallestBlockThatFits) {
  CachingAllocator allocator;
  std::vector<CachingAllocator::Id> ids;
  for (const Bytes size : {40_MiB, 30_MiB, 60_MiB}) ids.push_back(take(allocator, size));
  for (const auto id : ids) allocator.free(id);
  (void)take(allocator, 28_MiB);
  (void)take(allocator, 60_MiB);
  (void)take(allocator, 40_MiB);
  EXPECT_EQ(allocator.reserved(), 130_MiB);
  EXPECT_EQ(allocator.largest_free_block(), 2_MiB);
}

// 20 MiB cut into 6 + 6 + 8: the outer ones freed leave 8 at most, the middle one joins all three.
TEST(CachingAllocator, FreedNeighboursJoin) {
  CachingAllocator allocator;
  const auto first = take(allocator, 6_MiB);
  const auto second = take(allocator, 6_MiB);
  const auto third = take(allocator, 8_MiB);
  EXPECT_EQ(allocator.reserved(), 20_MiB);
  allocator.free(first);
  allocator.free(third);
  EXPECT_EQ(allocator.largest_free_block(), 8_MiB);
  allocator.free(second);
  EXPECT_EQ(allocator.largest_free_block(), 20_MiB);
  EXPECT_EQ(allocator.allocated(), Bytes{0});
  EXPECT_EQ(allocator.reserved(), 20_MiB);
}

// Segments never join: two of 20 MiB hold no 24. Peak 20 + 20 + 24 reserved, 40 allocated: 60 % more.
TEST(CachingAllocator, FragmentationIsWhatThePeaksDifferBy) {
  CachingAllocator allocator;
  const auto first = take(allocator, 20_MiB);
  const auto second = take(allocator, 20_MiB);
  allocator.free(first);
  allocator.free(second);
  (void)take(allocator, 24_MiB);
  EXPECT_EQ(allocator.peak_allocated(), 40_MiB);
  EXPECT_EQ(allocator.peak_reserved(), 64_MiB);
  EXPECT_DOUBLE_EQ(allocator.fragmentation(), 0.6);
}

// The same on an expandable segment: its 40 MiB (2 pages of 20) hold the 24.
TEST(CachingAllocator, ExpandableSegmentsJoinAll) {
  CachingAllocator allocator{Segments::expandable};
  const auto first = take(allocator, 20_MiB);
  const auto second = take(allocator, 20_MiB);
  allocator.free(first);
  allocator.free(second);
  (void)take(allocator, 24_MiB);
  EXPECT_EQ(allocator.peak_reserved(), 40_MiB);
  (void)take(allocator, 30_MiB);  // 16 MiB are free at the end: one page more
  EXPECT_EQ(allocator.reserved(), 60_MiB);
  EXPECT_EQ(allocator.largest_free_block(), 6_MiB);
}

// 100 MiB of device: 60 and 30 freed stay reserved; 70 fit only when both went back to the driver.
TEST(CachingAllocator, GivesSegmentsBackOnlyWhenItRunsOut) {
  CachingAllocator allocator{Segments::fixed, 100_MiB};
  const auto large = take(allocator, 60_MiB);
  const auto small = take(allocator, 30_MiB);
  allocator.free(large);
  allocator.free(small);
  EXPECT_EQ(allocator.reserved(), 90_MiB);
  const auto next = take(allocator, 70_MiB);
  EXPECT_EQ(allocator.reserved(), 70_MiB);
  EXPECT_FALSE(allocator.allocate(32_MiB).has_value());
  EXPECT_EQ(allocator.allocated(), 70_MiB);
  allocator.free(next);
  EXPECT_EQ(allocator.peak_reserved(), 90_MiB);
}

// 60 MiB cut into 4 + 52 + 4, the 52 freed: of a fixed segment nothing goes back. Of an expandable one the page from 20
// to 40 MiB does, so that 58 more (3 pages) fit into 100 MiB of device.
TEST(CachingAllocator, PartsOfASegmentGoBackOnlyWhereItIsExpandable) {
  for (const Segments segments : {Segments::fixed, Segments::expandable}) {
    CachingAllocator allocator{segments, 100_MiB};
    allocator.free(take(allocator, 60_MiB));
    (void)take(allocator, 4_MiB);
    const auto middle = take(allocator, 52_MiB);
    (void)take(allocator, 4_MiB);
    allocator.free(middle);
    ASSERT_EQ(allocator.reserved(), 60_MiB);
    const bool fits = allocator.allocate(58_MiB).has_value();
    EXPECT_EQ(fits, segments == Segments::expandable);
    EXPECT_EQ(allocator.reserved(), fits ? 100_MiB : 60_MiB);
    EXPECT_EQ(allocator.allocated(), fits ? 66_MiB : 8_MiB);
    EXPECT_EQ(allocator.largest_free_block(), fits ? 16_MiB : 52_MiB);
  }
}

// An expandable segment grows where its free end is too small: 56 free of 60 MiB, 70 asked for: one page of 20.
TEST(CachingAllocator, ExpandableSegmentsGrowAtTheirEnd) {
  CachingAllocator allocator{Segments::expandable, 100_MiB};
  allocator.free(take(allocator, 60_MiB));
  (void)take(allocator, 4_MiB);
  (void)take(allocator, 70_MiB);
  EXPECT_EQ(allocator.reserved(), 80_MiB);
}

TEST(CachingAllocator, FreeingTwiceIsABug) {
  CachingAllocator allocator;
  const auto id = take(allocator, 1_MiB);
  allocator.free(id);
  EXPECT_THROW(allocator.free(id), Bug);
}

// Whatever the order: what is allocated is what lives, reserved holds it, and in the end all of it is free again in
// whole segments, so that all of it can go back to the driver.
TEST(CachingAllocator, RandomUseKeepsItsAccounts) {
  for (const Segments segments : {Segments::fixed, Segments::expandable}) {
    std::mt19937 random{7};
    const Bytes capacity = 2_GiB;
    CachingAllocator allocator{segments, capacity};
    std::vector<std::pair<CachingAllocator::Id, Bytes>> live;
    Bytes requested{0};
    for (int i = 0; i < 20'000; ++i) {
      if (live.empty() || random() % 2 == 0) {
        const Bytes size{static_cast<std::int64_t>(random() % (random() % 3 == 0 ? 3'000'000U : 60'000'000U))};
        if (const auto id = allocator.allocate(size)) {
          live.emplace_back(*id, size);
          requested += size;
        } else {
          ASSERT_GT(allocator.reserved() + size, 1_GiB);
        }
      } else {
        std::swap(live[random() % live.size()], live.back());
        allocator.free(live.back().first);
        requested -= live.back().second;
        live.pop_back();
      }
      ASSERT_GE(allocator.allocated(), requested);
      ASSERT_LE(allocator.allocated(), allocator.reserved());
      ASSERT_LE(allocator.reserved(), capacity);
      ASSERT_LE(allocator.allocated() + allocator.largest_free_block(), allocator.reserved());
    }
    for (const auto& [id, size] : live) allocator.free(id);
    EXPECT_EQ(allocator.allocated(), Bytes{0});
    EXPECT_TRUE(allocator.allocate(capacity - 40_MiB).has_value());
  }
}

}  // namespace
}  // namespace shardsim::memory
