#include "sim/cost/memory_bound.hpp"

#include <gtest/gtest.h>

#include "sim/base/check.hpp"

namespace shardsim::cost {
namespace {

using model::OperatorKind;

hardware::Device device() {
  hardware::Device device;
  device.memory_bandwidth = BytesPerSecond{1e9};
  device.kernel_latency = Seconds{1e-3};
  device.memory_bound = {0.8, 0.5, 0.4, 0.2};
  return device;
}

TEST(MemoryBound, EfficiencyByKind) {
  const hardware::MemoryBoundProfile profile{0.8, 0.5, 0.4, 0.2};
  EXPECT_EQ(memory_bound_efficiency(profile, OperatorKind::elementwise), 0.8);
  EXPECT_EQ(memory_bound_efficiency(profile, OperatorKind::embedding), 0.8);
  EXPECT_EQ(memory_bound_efficiency(profile, OperatorKind::normalization), 0.5);
  EXPECT_EQ(memory_bound_efficiency(profile, OperatorKind::softmax), 0.4);
  EXPECT_EQ(memory_bound_efficiency(profile, OperatorKind::cross_entropy), 0.4);
  EXPECT_EQ(memory_bound_efficiency(profile, OperatorKind::optimizer), 0.2);
  EXPECT_THROW((void)memory_bound_efficiency(profile, OperatorKind::gemm), Bug);
}

// 1e6 B at 0.5e9 B/s = 2 ms; two launches 2 ms; a stack 1.5 times slower: 3 ms + 2 ms.
TEST(MemoryBound, Time) {
  EXPECT_DOUBLE_EQ(memory_bound_time(device(), OperatorKind::normalization, Bytes{1'000'000}, 2, 1.0).value(), 4e-3);
  EXPECT_DOUBLE_EQ(memory_bound_time(device(), OperatorKind::normalization, Bytes{1'000'000}, 2, 1.5).value(), 5e-3);
}

}  // namespace
}  // namespace shardsim::cost
