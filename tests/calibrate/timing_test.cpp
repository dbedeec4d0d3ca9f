#include "calibrate/measure/timing.hpp"

#include <gtest/gtest.h>

namespace shardsim::calibrate {
namespace {

/// Runs take the given times in turn, the last one for ever.
struct FakeWork {
  std::vector<double> durations;
  double now = 0.0;
  std::size_t runs = 0;
  std::size_t prepared = 0;

  [[nodiscard]] Timed timed() {
    return {[this] {
              ++prepared;
              now += 100.0;  // outside of the time
            },
            [this] { now += durations[std::min(runs++, durations.size() - 1)]; }};
  }
  [[nodiscard]] Clock clock() {
    return [this] { return now; };
  }
};

TimingPolicy policy() {
  TimingPolicy policy;
  policy.warm_up = 2;
  policy.fewest = 3;
  policy.most = 20;
  policy.shortest = Seconds{0.0};
  policy.longest = Seconds{1e9};
  policy.noise = 0.05;
  return policy;
}

TEST(Timing, LeavesTheWarmUpAndThePreparationOut) {
  FakeWork work{{50.0, 40.0, 2.0}};
  const Timing timing = measure(policy(), work.timed(), {}, work.clock());
  EXPECT_DOUBLE_EQ(timing.median.value(), 2.0);
  EXPECT_EQ(timing.samples, 3);
  EXPECT_EQ(work.runs, 5U);
  EXPECT_EQ(work.prepared, 5U);
}

TEST(Timing, TakesMoreSamplesWhileTheyAreNoisy) {
  // (p90 − p10)/(2·median·√n) of 1, 3, 1, 3 … stays near 0.5/√n: above 5 % for all 20 samples.
  FakeWork noisy{{1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3}};
  EXPECT_EQ(measure(policy(), noisy.timed(), {}, noisy.clock()).samples, 20);
  // Two outliers, then quiet: with ten samples of which two are outliers p90 still sees one, with more it does not.
  FakeWork quiets{{1, 1, 9, 9, 1}};
  const Timing timing = measure(policy(), quiets.timed(), {}, quiets.clock());
  EXPECT_GT(timing.samples, 3);
  EXPECT_DOUBLE_EQ(timing.median.value(), 1.0);
}

TEST(Timing, MeasuresForAMinimumTimeAndStopsAtTheLargest) {
  TimingPolicy patient = policy();
  patient.shortest = Seconds{10.0};
  FakeWork steady{{2.0}};
  EXPECT_EQ(measure(patient, steady.timed(), {}, steady.clock()).samples, 5);  // 5 · 2 s = 10 s
  TimingPolicy hasty = policy();
  hasty.longest = Seconds{8.0};
  FakeWork noisy{{1, 1, 1, 3, 1, 3, 1, 3, 1, 3}};
  EXPECT_EQ(measure(hasty, noisy.timed(), {}, noisy.clock()).samples, 4);  // 1 + 3 + 1 + 3 = 8 s
}

TEST(Timing, FixedCountsDoNotLookAtTheNoise) {
  FakeWork noisy{{1, 1, 9, 1, 9, 1, 9}};
  EXPECT_EQ(measure(TimingPolicy::fixed(4), noisy.timed(), {}, noisy.clock()).samples, 4);
}

TEST(Timing, TheSlowestRankCounts) {
  // The other rank needs 5 s for everything and never asks for more.
  const Agreement other{[](double value) { return std::max(value, value > 1.5 ? 5.0 : value); }};
  FakeWork work{{2.0}};
  EXPECT_DOUBLE_EQ(measure(policy(), work.timed(), other, work.clock()).median.value(), 5.0);
  FakeWork shared{{2.0}};
  EXPECT_DOUBLE_EQ(measure_together(TimingPolicy::fixed(3), shared.timed(), other, shared.clock()).p10.value(), 5.0);
}

TEST(Timing, SummaryIsMedianAndTenths) {
  const Timing timing = summarise({5, 1, 4, 2, 3, 6, 7, 8, 9, 10, 11});
  EXPECT_DOUBLE_EQ(timing.median.value(), 6.0);
  EXPECT_DOUBLE_EQ(timing.p10.value(), 2.0);
  EXPECT_DOUBLE_EQ(timing.p90.value(), 10.0);
  // (10 − 2)/(2 · 6 · √11)
  EXPECT_NEAR(relative_noise(timing), 8.0 / (12.0 * 3.3166), 1e-4);
}

}  // namespace
}  // namespace shardsim::calibrate
