#include "kernels/tensor/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/tensor/host_memory.hpp"

namespace shardsim::kernels {
namespace {

TEST(HostMemory, AlignsToCacheLines) {
  HostMemory memory;
  for (const std::int64_t size : {0, 1, 63, 64, 65, 1000003}) {
    void* data = memory.allocate(Bytes{size});
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0U) << size;
    std::memset(data, 1, static_cast<std::size_t>(size));
  }
}

TEST(HostMemory, ReusesAndJoinsWhatWasReleased) {
  HostMemory memory;
  void* first = memory.allocate(Bytes{100});
  void* second = memory.allocate(Bytes{100});
  void* third = memory.allocate(Bytes{100});
  memory.release(first);
  memory.release(third);  // also joins the free rest
  memory.release(second);
  // 100 bytes take 128, so only the joined blocks hold 300.
  EXPECT_EQ(memory.allocate(Bytes{300}), first);
}

TEST(HostMemory, StaysWithinOneRegionWhenAStepRepeats) {
  HostMemory memory;
  std::mt19937 random(1);
  std::vector<Bytes> sizes(100);
  for (Bytes& size : sizes) size = Bytes{static_cast<std::int64_t>(random() % 5'000'000)};  // 250 MB in all
  for (int step = 0; step < 50; ++step) {
    std::vector<void*> blocks;
    for (const Bytes size : sizes) blocks.push_back(memory.allocate(size));
    std::shuffle(blocks.begin(), blocks.end(), random);
    for (void* block : blocks) memory.release(block);
  }
  EXPECT_EQ(memory.reserved(), 1_GiB);
}

TEST(HostMemory, SaysWhatDidNotFit) {
  HostMemory memory;
  try {
    static_cast<void>(memory.allocate(Bytes{std::int64_t{1} << 60}));
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_STREQ(error.what(), "out of memory: this machine has no room for 1152921504606846976 more bytes");
  }
}

TEST(Memory, CountsByComponentAndKeepsTheLargestMoment) {
  struct Observer : MemoryObserver {
    std::vector<std::int64_t> totals;
    void changed(const Usage& now) override { totals.push_back(now.total().value()); }
  } observer;
  Memory memory(std::make_unique<HostMemory>(), &observer);
  void* parameters = memory.allocate(Bytes{10}, Component::parameters);
  void* activations = memory.allocate(Bytes{7}, Component::activations);
  memory.release(activations, Bytes{7}, Component::activations);
  void* gradients = memory.allocate(Bytes{5}, Component::gradients);
  EXPECT_EQ(memory.now().total(), Bytes{15});
  EXPECT_EQ(memory.now()[Component::gradients], Bytes{5});
  EXPECT_EQ(memory.peak().total(), Bytes{17});
  EXPECT_EQ(memory.peak()[Component::activations], Bytes{7});
  EXPECT_EQ(memory.peak()[Component::gradients], Bytes{0});
  memory.reset_peak();
  EXPECT_EQ(memory.peak().total(), Bytes{15});
  memory.release(gradients, Bytes{5}, Component::gradients);
  memory.release(parameters, Bytes{10}, Component::parameters);
  EXPECT_EQ(observer.totals, (std::vector<std::int64_t>{10, 17, 10, 15, 10, 0}));
}

}  // namespace
}  // namespace shardsim::kernels
