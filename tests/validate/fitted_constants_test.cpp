#include "validate/fitted_constants.hpp"

#include <gtest/gtest.h>

namespace shardsim::validate {
namespace {

TEST(FittedConstants, CountsWhatMeetsMeasurementsOnce) {
  const std::vector<input::Preset> presets{
      {"stacks", "a", R"(
[stack]
memory_bound_slowdown = 1.5
gradient_bucket = "25 MiB"
[stack.host]
per_launch = "10 us"
[stack.saved]
extra_per_ffn_element = 0.0
[stack.error]
time = 0.1
)"},
      // The same slowdown counts once.
      {"stacks", "b", "[stack]\nmemory_bound_slowdown = 1.5\nhost.per_launch = \"11 us\"\n"},
      {"devices", "c", R"(
[device]
kernel_latency = "1 us"
sustained_slowdown = 1.0
memory_bandwidth = "2039 GB/s"
gemm.fp16.peak = "312 TFLOP/s"
gemm.fp16.efficiency = 0.8
gemm.bf16.efficiency = 0.8
gemm.fp8.efficiency = 0.6
)"},
      {"clusters", "d", R"(
[cluster]
gpus_per_node = 8
inter_node.bandwidth = "25 GB/s"
inter_node.efficiency = 0.9
measured_collectives = [["all_reduce", 2, 1, "10300ns", "37.9GB/s", "36.8us", "189GB/s"]]
)"},
      {"models", "e", "[model]\nnum_layers = 2\n"}};
  const FittedConstants fitted = fitted_constants(presets);
  // Slowdown 1.5, launch costs 10 and 11 us.
  EXPECT_EQ(fitted.stacks, 3u);
  // Latency, efficiencies 0.8 and 0.6.
  EXPECT_EQ(fitted.devices, 3u);
  // Efficiency, two latencies and two bandwidths.
  EXPECT_EQ(fitted.clusters, 5u);
  EXPECT_EQ(fitted.total(), 11u);
}

TEST(FittedConstants, OfTheProfilesAreThere) {
  const FittedConstants fitted = fitted_constants();
  EXPECT_GT(fitted.stacks, 0u);
  EXPECT_GT(fitted.devices, 0u);
  EXPECT_GT(fitted.clusters, 0u);
}

}  // namespace
}  // namespace shardsim::validate
