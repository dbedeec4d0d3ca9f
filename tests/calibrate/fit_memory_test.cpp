#include "calibrate/fit/fit_memory.hpp"

#include <gtest/gtest.h>

namespace shardsim::calibrate {
namespace {

MemorySample sample(double bandwidth, double time) {
  return {{"memory.csv", 3, ""}, "gpu", "add", BytesPerSecond{bandwidth}, Seconds{time}, "source"};
}

// 1e12 · 1e-4 = 100 MB; 1e12 · 1e-5 = 10 MB stays in the caches and is left out.
TEST(FitMemory, MedianShareOfLargeKernels) {
  const std::vector<MemorySample> samples{sample(0.7e12, 1e-4), sample(0.8e12, 1e-4), sample(0.9e12, 0.0),
                                          sample(0.1e12, 1e-4)};
  EXPECT_DOUBLE_EQ(bandwidth_share(samples, BytesPerSecond{1e12}, "gpu"), 0.8);
}

TEST(FitMemory, RefusesNothingAndTheImpossible) {
  EXPECT_THROW((void)bandwidth_share({sample(1e12, 1e-5)}, BytesPerSecond{1e12}, "gpu"), InputError);
  EXPECT_THROW((void)bandwidth_share({sample(1.2e12, 1e-4)}, BytesPerSecond{1e12}, "gpu"), InputError);
}

// 2 us + bytes / 1 TB/s, at 0.1 … 1 MB: bandwidth = bytes / time.
TEST(FitMemory, LatencyIsTheIntercept) {
  std::vector<MemorySample> samples;
  for (int i = 1; i <= 10; ++i) {
    const double bytes = 1e5 * i;
    const double time = 2e-6 + bytes / 1e12;
    samples.push_back(sample(bytes / time, time));
  }
  EXPECT_DOUBLE_EQ(kernel_latency(samples, "gpu").value(), 2e-6);
  samples.resize(7);
  EXPECT_THROW((void)kernel_latency(samples, "gpu"), InputError);
}

}  // namespace
}  // namespace shardsim::calibrate
