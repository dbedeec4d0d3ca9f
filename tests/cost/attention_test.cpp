#include "sim/cost/attention.hpp"

#include <gtest/gtest.h>

namespace shardsim::cost {
namespace {

using model::DType;
using model::Pass;
using model::Shape;

hardware::Device device() {
  hardware::Device device;
  device.memory_bandwidth = BytesPerSecond{1e9};
  device.kernel_latency = Seconds{1e-3};
  device.gemm[static_cast<std::size_t>(DType::bf16)].peak = FlopsPerSecond{1e12};
  device.attention = {0.5, 0.25};
  return device;
}

TEST(Attention, BackwardHasItsOwnEfficiency) {
  const Shape shape{1024, 1024, 64, 16};
  hardware::AttentionProfile profile{0.5, 0.25};
  EXPECT_DOUBLE_EQ(attention_efficiency(profile, Pass::forward, shape), 0.5);
  EXPECT_DOUBLE_EQ(attention_efficiency(profile, Pass::recompute, shape), 0.5);
  EXPECT_DOUBLE_EQ(attention_efficiency(profile, Pass::backward, shape), 0.25);
  profile.sequence_half = 1024;  // half at 1,024 keys
  EXPECT_DOUBLE_EQ(attention_efficiency(profile, Pass::forward, shape), 0.25);
  profile.head_half = 64;  // and half at heads of 64
  EXPECT_DOUBLE_EQ(attention_efficiency(profile, Pass::forward, shape), 0.125);
}

// 1e9 FLOP at 0.5e12 = 2 ms + 1 ms; backward at 0.25e12 = 4 ms + 1 ms. fp8 training attends in bf16.
TEST(Attention, Time) {
  const Shape shape{128, 128, 64, 1};
  EXPECT_DOUBLE_EQ(attention_time(device(), DType::bf16, Pass::forward, shape, Flops{1e9}, Bytes{0}).value(), 3e-3);
  EXPECT_DOUBLE_EQ(attention_time(device(), DType::bf16, Pass::backward, shape, Flops{1e9}, Bytes{0}).value(), 5e-3);
  EXPECT_DOUBLE_EQ(attention_time(device(), DType::fp8, Pass::forward, shape, Flops{1e9}, Bytes{0}).value(), 3e-3);
  hardware::Device hot = device();
  hot.sustained_slowdown = 1.5;  // 2 ms of compute become 3
  EXPECT_DOUBLE_EQ(attention_time(hot, DType::bf16, Pass::forward, shape, Flops{1e9}, Bytes{0}).value(), 4e-3);
}

}  // namespace
}  // namespace shardsim::cost
