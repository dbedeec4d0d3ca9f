#include "sim/plan/goodput.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/engine/closed_form.hpp"
#include "sim/model/parameters.hpp"
#include "tests/plan/small_job.hpp"

namespace shardsim::tests {
namespace {

using plan::Segments;

TEST(Failures, RateIsThatOfLlama3) {
  // 419 in 54 days on 16,384 GPUs: one in 54 · 24 / 419 = 3.0931 h there, in 16,384 times as long on one GPU.
  EXPECT_NEAR(plan::mean_time_between_failures({}, 16384).value(), 54.0 * 86400.0 / 419.0, 1e-6);
  EXPECT_NEAR(plan::mean_time_between_failures({}, 1).value() / 3600.0, 50'677.0, 1.0);
}

TEST(Failures, PoissonIntervalIsThatOfChiSquareTables) {
  // Count 10: chi-square's 10 % point with 20 degrees of freedom 12.443, 90 % point with 22: 30.813; halves of them.
  const plan::Estimate ten = plan::poisson_interval(10.0);
  EXPECT_NEAR(ten.p10, 12.443 / 2.0, 0.005 * 6.2);
  EXPECT_NEAR(ten.p90, 30.813 / 2.0, 0.005 * 15.4);
  // Count 2: 4 degrees 1.0636, 6 degrees 10.645.
  EXPECT_NEAR(plan::poisson_interval(2.0).p10, 0.5318, 0.005);
  EXPECT_NEAR(plan::poisson_interval(2.0).p90, 5.3223, 0.03);
}

TEST(CheckpointInterval, YoungsAndDalys) {
  // sqrt(2 · 50 · 10,000) = 1,000; d/2M = 0.0025, its root 0.05: 1,000 (1 + 0.05/3 + 0.0025/9) - 50 = 966.944.
  EXPECT_DOUBLE_EQ(plan::young_interval(Seconds{50.0}, Seconds{10'000.0}).value(), 1000.0);
  EXPECT_NEAR(plan::daly_interval(Seconds{50.0}, Seconds{10'000.0}).value(), 966.9444, 1e-4);
  EXPECT_EQ(plan::daly_interval(Seconds{200.0}, Seconds{100.0}).value(), 100.0);
}

TEST(CheckpointInterval, DalysIsTheBest) {
  Segments run{Seconds{1e6}, plan::daly_interval(Seconds{50.0}, Seconds{10'000.0}), Seconds{50.0}, Seconds{600.0},
               Seconds{10'000.0}};
  const Seconds best = plan::expected_wall_clock(run);
  for (const double factor : {0.8, 0.95, 1.05, 1.25}) {
    Segments other = run;
    other.interval = run.interval * factor;
    EXPECT_GT(plan::expected_wall_clock(other), best) << factor;
  }
}

TEST(WallClock, IsWorkAndCheckpointsWithoutFailures) {
  // 10 segments of 100 s work and 10 s checkpoint.
  const Segments run{Seconds{1000.0}, Seconds{100.0}, Seconds{10.0}, Seconds{600.0}, Seconds{1e12}};
  EXPECT_NEAR(plan::expected_wall_clock(run).value(), 1100.0, 1e-3);
}

TEST(WallClock, OfSegmentsAsLongAsTheTimeBetweenFailures) {
  // t + d = M = 100 s, no restart: each of 10 segments takes M (e - 1).
  const Segments run{Seconds{900.0}, Seconds{90.0}, Seconds{10.0}, Seconds{0.0}, Seconds{100.0}};
  EXPECT_NEAR(plan::expected_wall_clock(run).value(), 1000.0 * (std::exp(1.0) - 1.0), 1e-9);
}

TEST(WallClock, MonteCarloConfirmsTheClosedForm) {
  const Segments run{Seconds{200'000.0}, Seconds{1000.0}, Seconds{50.0}, Seconds{600.0}, Seconds{20'000.0}};
  constexpr int kRuns = 4000;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < kRuns; ++i) {
    const double wall = plan::simulate_wall_clock(run, static_cast<std::uint64_t>(i)).value();
    sum += wall;
    squares += wall * wall;
  }
  const double mean = sum / kRuns;
  const double deviation = std::sqrt((squares / kRuns - mean * mean) * kRuns / (kRuns - 1.0));
  EXPECT_NEAR(mean, plan::expected_wall_clock(run).value(), 4.0 * deviation / std::sqrt(double{kRuns}));
  // About 11 failures of 600 to 1,650 s: root of 11 · 1.36e6, some 3,900 s; failures during restarts are left out.
  EXPECT_NEAR(deviation, plan::wall_clock_deviation(run).value(), 0.1 * deviation);
  EXPECT_EQ(plan::simulate_wall_clock(run, 7).value(), plan::simulate_wall_clock(run, 7).value());
  EXPECT_NE(plan::simulate_wall_clock(run, 7).value(), plan::simulate_wall_clock(run, 8).value());
}

TEST(Checkpoint, HoldsParametersAndOptimizerOnceWhateverTheSharding) {
  model::Scenario scenario = small_job();
  divide(scenario, 1, 1, 8, 8);
  const Bytes whole = plan::checkpoint_bytes(scenario);
  // fp16: 2 bytes, fp32 master 4, two moments 8.
  EXPECT_EQ(whole.value(), 14 * model::total_parameters(scenario));
  scenario.parallelism.zero_stage = 1;
  EXPECT_EQ(plan::checkpoint_bytes(scenario), whole);
  divide(scenario, 2, 1, 4, 8);
  // Norms and some biases are held on both tensor-parallel ranks.
  EXPECT_NEAR(plan::checkpoint_bytes(scenario) / whole, 1.0, 0.01);
}

class Run : public testing::Test {
 protected:
  model::Scenario scenario = [] {
    model::Scenario job = small_job();
    divide(job, 1, 1, 8, 8);
    return job;
  }();
  engine::Prediction prediction = engine::predict(scenario);
  /// Exact rates and prices, an iteration known to 10 %.
  plan::Reliability reliability = [] {
    plan::Reliability rates;
    rates.failures = 1e9;
    rates.gpu_hours = 1e9 * 1000.0;
    return rates;
  }();
  plan::Economics economics{{2.0, 2.0, 2.0}, 400.0, 1.5};
};

TEST_F(Run, IsCountedInIterations) {
  // A batch of 64 sequences of 1,024 tokens: 65,536; a million of them and one token more is another iteration.
  const plan::RunEstimate run = plan::estimate_run(scenario, prediction, 65'536e6 + 1.0, reliability, economics);
  EXPECT_EQ(run.iterations, 1e6 + 1.0);
  EXPECT_DOUBLE_EQ(run.productive.value(), prediction.iteration.value() * (1e6 + 1.0));
  EXPECT_LT(run.goodput, 1.0);
  EXPECT_DOUBLE_EQ(run.goodput, run.productive.value() / run.wall_clock.expected);
}

TEST_F(Run, CostsPriceTimesGpuHours) {
  const plan::RunEstimate run = plan::estimate_run(scenario, prediction, 65'536e6, reliability, economics);
  EXPECT_NEAR(run.usd.expected, 2.0 * 8.0 * run.wall_clock.expected / 3600.0, 1e-6);
  // The price is exact: the interval is that of the time.
  EXPECT_NEAR(run.usd.p90 / run.usd.expected, run.wall_clock.p90 / run.wall_clock.expected, 1e-9);
}

TEST_F(Run, TakesThePowerBetweenComputeAloneAndAllTheTime) {
  const plan::RunEstimate run = plan::estimate_run(scenario, prediction, 65'536e6, reliability, economics);
  const double busy = plan::compute_share(prediction);
  ASSERT_GT(busy, 0.0);
  ASSERT_LT(busy, 1.0);
  // 8 devices of 400 W, PUE 1.5: 4.8 kW at full power.
  EXPECT_NEAR(run.energy_kwh.expected, 4.8 * run.wall_clock.expected / 3600.0 * (1.0 + busy) / 2.0, 1e-6);
}

TEST_F(Run, AddsIndependentUncertaintiesAsSquaresOfLogarithms) {
  prediction.iteration_p10 = prediction.iteration / 1.1;
  prediction.iteration_p90 = prediction.iteration * 1.1;
  reliability.gpu_hours = 1e9 * 1e12;  // no failures: time is the iterations and checkpoints alone
  economics.usd_per_gpu_hour = {2.0, 1.0, 4.0};
  const plan::RunEstimate run = plan::estimate_run(scenario, prediction, 65'536e6, reliability, economics);
  EXPECT_NEAR(run.wall_clock.p90 / run.wall_clock.expected, 1.1, 1e-3);
  const double log_half_width = std::sqrt(std::pow(std::log(1.1), 2) + std::pow(std::log(2.0), 2));
  EXPECT_NEAR(std::log(run.usd.p90 / run.usd.expected), log_half_width, 1e-3);
  EXPECT_NEAR(std::log(run.usd.expected / run.usd.p10), log_half_width, 1e-3);
}

TEST_F(Run, IsLessCertainWhenFewFailuresWereCounted) {
  reliability.failures = 1e9;
  reliability.gpu_hours = 1e9 * 10.0;
  const plan::RunEstimate exact = plan::estimate_run(scenario, prediction, 65'536e6, reliability, economics);
  reliability.failures = 4.0;
  reliability.gpu_hours = 40.0;
  const plan::RunEstimate counted = plan::estimate_run(scenario, prediction, 65'536e6, reliability, economics);
  EXPECT_DOUBLE_EQ(counted.wall_clock.expected, exact.wall_clock.expected);
  EXPECT_GT(counted.wall_clock.p90, exact.wall_clock.p90);
  EXPECT_LT(counted.wall_clock.p10, exact.wall_clock.p10);
}

}  // namespace
}  // namespace shardsim::tests
