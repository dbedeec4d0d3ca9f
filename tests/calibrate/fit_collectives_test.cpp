#include "calibrate/fit/fit_collectives.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardsim::calibrate {
namespace {

CollectiveSample sample(std::string kind, std::int64_t ranks, std::int64_t nodes, std::int64_t bytes, double time) {
  CollectiveSample result;
  result.collective = std::move(kind);
  result.ranks = ranks;
  result.nodes = nodes;
  result.bytes = Bytes{bytes};
  result.time = Seconds{time};
  return result;
}

// min(10 us + B/(20 GB/s), 40 us + B/(200 GB/s)) at 1 kB … 1 GB.
TEST(FitCollectives, RecoversTwoLines) {
  std::vector<CollectiveSample> samples;
  for (std::int64_t bytes = 1024; bytes <= (1 << 30); bytes *= 2) {
    const double size = static_cast<double>(bytes);
    samples.push_back(sample("all_reduce", 8, 1, bytes, std::min(10e-6 + size / 20e9, 40e-6 + size / 200e9)));
  }
  const LinesFit fit = fit_lines(samples, "cluster");
  EXPECT_NEAR(fit.lines.small_latency.value(), 10e-6, 0.05e-6);
  EXPECT_NEAR(fit.lines.small_bandwidth.value(), 20e9, 0.2e9);
  EXPECT_NEAR(fit.lines.large_latency.value(), 40e-6, 0.4e-6);
  EXPECT_NEAR(fit.lines.large_bandwidth.value(), 200e9, 1e9);
  EXPECT_EQ(fit.errors.size(), 7U);  // every third of 21
  samples.resize(7);
  EXPECT_THROW((void)fit_lines(samples, "cluster"), InputError);
}

// Bus bandwidth of an all-reduce over 8: 2·7/8 of 1 GB in 10 ms = 175 GB/s, of an all-gather 7/8 = 87.5.
TEST(FitCollectives, ShareOfTheBandwidth) {
  const std::int64_t size = 1'000'000'000;
  EXPECT_DOUBLE_EQ(bandwidth_share({sample("all_reduce", 8, 1, size, 10e-3)}, BytesPerSecond{200e9}, ""), 0.875);
  EXPECT_DOUBLE_EQ(bandwidth_share({sample("all_gather", 8, 1, size, 10e-3)}, BytesPerSecond{100e9}, ""), 0.875);
  EXPECT_THROW((void)bandwidth_share({sample("all_gather", 8, 1, 1000, 1.0)}, BytesPerSecond{1.0}, ""), InputError);
}

// 5 us + 2(n − 1) · 1 us: 7 us for 2 ranks, 19 us for 8. Gathers and large messages do not count.
TEST(FitCollectives, LatenciesFromSmallMessages) {
  const Latencies inside =
      fit_latencies({sample("all_reduce", 2, 1, 1024, 7e-6), sample("all_reduce", 8, 1, 1024, 19e-6),
                     sample("all_gather", 8, 1, 1024, 1.0), sample("all_reduce", 8, 1, 1 << 20, 1.0)},
                    "");
  EXPECT_DOUBLE_EQ(inside.base.value(), 5e-6);
  EXPECT_DOUBLE_EQ(inside.step.value(), 1e-6);
  // 4 nodes of 8: 5 + 2(7·1 + 2·s) = 59 us for s = 10 us.
  EXPECT_DOUBLE_EQ(fit_network_step({sample("all_reduce", 32, 4, 1024, 59e-6)}, inside, "").value(), 10e-6);
  EXPECT_THROW((void)fit_latencies({sample("all_reduce", 8, 1, 1024, 19e-6)}, ""), InputError);
}

}  // namespace
}  // namespace shardsim::calibrate
