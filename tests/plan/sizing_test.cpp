#include "sim/plan/sizing.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/plan/largest.hpp"
#include "tests/plan/small_job.hpp"

namespace shardsim::tests {
namespace {

constexpr double kTokens = 1e10;

plan::SizingOptions priced() {
  plan::SizingOptions options;
  options.economics.usd_per_gpu_hour = {2.0, 1.5, 3.0};
  options.most_gpus = 256;
  return options;
}

double wall_clock(const plan::SizePoint& point) { return point.run.wall_clock.expected; }

/// What all sizes take, whatever the goal.
plan::Sizing everything() { return plan::size_cluster(small_job(), {kTokens, Seconds{1e9}, 0.0}, priced()); }

TEST(Sizing, SmallestMeetsTheDeadlineAndNothingSmallerDoes) {
  const plan::Sizing all = everything();
  ASSERT_GE(all.points.size(), 3U);
  // Between the times of the second and the third size.
  const double deadline = 0.5 * (wall_clock(all.points[1]) + wall_clock(all.points[2]));
  const plan::Sizing sizing = plan::size_cluster(small_job(), {kTokens, Seconds{deadline}, 0.0}, priced());
  ASSERT_TRUE(sizing.smallest);
  for (std::size_t i = 0; i < sizing.points.size(); ++i) {
    if (i < *sizing.smallest) EXPECT_GT(wall_clock(sizing.points[i]), deadline);
    EXPECT_EQ(sizing.points[i].gpus % 8, 0) << "whole nodes";
    EXPECT_TRUE(sizing.points[i].candidate.prediction.memory.fits());
  }
  EXPECT_LE(wall_clock(sizing.points[*sizing.smallest]), deadline);
  EXPECT_LE(sizing.points[*sizing.smallest].gpus, all.points[2].gpus);
}

TEST(Sizing, CheapestMeetsTheGoalForLessThanAllOthers) {
  const plan::Sizing sizing = everything();
  ASSERT_TRUE(sizing.cheapest);
  for (const plan::SizePoint& point : sizing.points) {
    EXPECT_GE(point.run.usd.expected, sizing.points[*sizing.cheapest].run.usd.expected);
  }
}

TEST(Sizing, SaysWhatADaySavedCosts) {
  const plan::Sizing sizing = everything();
  EXPECT_EQ(sizing.points.front().scaling_efficiency, 1.0);
  EXPECT_EQ(sizing.points.front().usd_per_day_saved, 0.0);
  const plan::SizePoint& small = sizing.points[0];
  const plan::SizePoint& large = sizing.points[1];
  ASSERT_LT(wall_clock(large), wall_clock(small));
  EXPECT_NEAR(large.usd_per_day_saved,
              (large.run.usd.expected - small.run.usd.expected) / ((wall_clock(small) - wall_clock(large)) / 86400.0),
              1e-6 * std::abs(large.usd_per_day_saved));
  EXPECT_NEAR(
      large.scaling_efficiency,
      wall_clock(small) * static_cast<double>(small.gpus) / (wall_clock(large) * static_cast<double>(large.gpus)),
      1e-12);
}

TEST(Sizing, MoreGpusPayWhileADoublingIsWorthOneAndAHalf) {
  // Twice the GPUs: a day saved costs less than a day of the smaller cluster from a speed-up of 3/2 on.
  const plan::Sizing sizing = everything();
  ASSERT_TRUE(sizing.worthwhile);
  for (std::size_t i = 1; i < sizing.points.size(); ++i) {
    if (sizing.points[i].gpus != 2 * sizing.points[i - 1].gpus) continue;
    const double speed_up = wall_clock(sizing.points[i - 1]) / wall_clock(sizing.points[i]);
    if (i <= *sizing.worthwhile) EXPECT_GT(speed_up, 1.5);
    if (i == *sizing.worthwhile + 1) EXPECT_LE(speed_up, 1.5);
  }
}

TEST(Sizing, NearestWhereNothingMeetsTheGoal) {
  const plan::Sizing late = plan::size_cluster(small_job(), {kTokens, Seconds{1.0}, 0.0}, priced());
  EXPECT_FALSE(late.smallest);
  ASSERT_TRUE(late.nearest);
  for (const plan::SizePoint& point : late.points) EXPECT_GE(wall_clock(point), wall_clock(late.points[*late.nearest]));
  const plan::Sizing dear = plan::size_cluster(small_job(), {kTokens, Seconds{1e9}, 0.01}, priced());
  EXPECT_FALSE(dear.smallest);
  ASSERT_TRUE(dear.nearest);
  for (const plan::SizePoint& point : dear.points) {
    EXPECT_GE(point.run.usd.expected, dear.points[*dear.nearest].run.usd.expected);
  }
}

TEST(Sizing, StopsWhenAsked) {
  plan::SizingOptions options = priced();
  int searches = 0;
  options.proceed = [&searches] { return ++searches <= 2; };
  const plan::Sizing sizing = plan::size_cluster(small_job(), {kTokens, Seconds{1e9}, 0.0}, options);
  EXPECT_TRUE(sizing.interrupted);
  EXPECT_EQ(sizing.points.size(), 2U);
}

class LargestThatFits : public testing::TestWithParam<plan::Dimension> {};

TEST_P(LargestThatFits, FitsAndTheNextTriedDoesNot) {
  const model::Scenario base = small_job();
  const auto largest = plan::largest_that_fits(base, GetParam(), {});
  ASSERT_TRUE(largest);
  EXPECT_TRUE(largest->candidate.prediction.memory.fits());
  EXPECT_EQ(largest->value % largest->step, 0);
  ASSERT_GT(largest->too_large, largest->value);
  const model::Scenario larger = plan::with_dimension(base, GetParam(), largest->too_large);
  plan::Space space = plan::narrowed_space(larger);
  if (GetParam() == plan::Dimension::micro_batch_size) space.micro_batch_size = {largest->too_large};
  EXPECT_TRUE(plan::search(larger, space, {}).candidates.empty());
}

INSTANTIATE_TEST_SUITE_P(Dimensions, LargestThatFits,
                         testing::Values(plan::Dimension::hidden, plan::Dimension::layers,
                                         plan::Dimension::micro_batch_size, plan::Dimension::seq_length));

TEST(WithDimension, KeepsProportions) {
  // 16 heads of 64, feed-forward 4 h: twice as wide has 32 heads and 8,192.
  const model::Model wide = plan::with_dimension(small_job(), plan::Dimension::hidden, 2048).model;
  EXPECT_EQ(wide.num_attention_heads, 32);
  EXPECT_EQ(wide.num_query_groups, 32);
  EXPECT_EQ(wide.kv_channels, 64);
  EXPECT_EQ(wide.ffn_hidden_size, 8192);
}

}  // namespace
}  // namespace shardsim::tests
