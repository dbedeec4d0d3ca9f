#include "sim/engine/step_time.hpp"

#include <gtest/gtest.h>

#include "tests/engine/example_scenarios.hpp"

namespace shardsim::engine {
namespace {

using model::Group;
using model::Operator;
using model::OperatorKind;
using model::Scenario;
using model::Stage;

constexpr schedule::StageTime kMicroBatch{Seconds{1.0}, Seconds{2.0}, Seconds{1.0}};

Scenario with_zero(int stage, std::int64_t micro_batches = 8) {
  Scenario scenario = example_scenario();
  divide(scenario, 1, 1, 8, micro_batches);
  scenario.parallelism.zero_stage = stage;
  return scenario;
}

TEST(StepTime, GradientsHideBehindTheLastBackwardOnly) {
  const HidingWindows windows = hiding_windows(with_zero(1), kMicroBatch);
  EXPECT_DOUBLE_EQ(windows.backward.value(), 2.0);
  EXPECT_DOUBLE_EQ(windows.forward.value(), 1.0);
}

TEST(StepTime, ShardedGradientsAndParametersHideBehindEveryMicroBatch) {
  EXPECT_DOUBLE_EQ(hiding_windows(with_zero(2), kMicroBatch).backward.value(), 16.0);
  EXPECT_DOUBLE_EQ(hiding_windows(with_zero(2), kMicroBatch).forward.value(), 1.0);
  EXPECT_DOUBLE_EQ(hiding_windows(with_zero(3), kMicroBatch).forward.value(), 8.0);
}

// Two chunks, group of 4: the second chunk's gradients are complete half a backward and four half backwards before the
// end: 2·(1/2 + 4/2) = 5.
TEST(StepTime, InterleavingCompletesLaterChunksEarly) {
  Scenario scenario = example_scenario();
  divide(scenario, 1, 4, 2, 8);
  scenario.parallelism.virtual_pipeline_model_parallel_size = 2;
  scenario.parallelism.schedule = model::Schedule::interleaved_one_f_one_b;
  EXPECT_DOUBLE_EQ(hiding_windows(scenario, kMicroBatch).backward.value(), 5.0);
}

TEST(StepTime, Messages) {
  Operator reduce;
  reduce.kind = OperatorKind::reduce_scatter;
  reduce.bytes = 130_MiB;
  const Stage stage{{{24, true, true}}};
  EXPECT_EQ(data_messages(with_zero(1), stage, reduce), 1);
  reduce.overlapped = true;
  EXPECT_EQ(data_messages(with_zero(1), stage, reduce), 3);       // buckets of 64 MiB
  EXPECT_EQ(data_messages(with_zero(2), stage, reduce), 8);       // one per micro batch
  EXPECT_EQ(data_messages(with_zero(3), stage, reduce), 8 * 24);  // and layer
  reduce.kind = OperatorKind::all_gather;
  EXPECT_EQ(data_messages(with_zero(2), stage, reduce), 3);
  EXPECT_EQ(data_messages(with_zero(3), stage, reduce), 2 * 8 * 24);  // forward and backward
}

// Overlap hides all but the last bucket when the backward is long enough, and slows it down by the profile's 10 %.
TEST(StepTime, OverlapLeavesTheLastBucketExposed) {
  Scenario scenario = with_zero(0);
  const Stage stage{{{24, true, true}}};
  const StepTime plain = step_time(scenario, cost::Pricer{scenario}, stage, kMicroBatch);
  const Communication& data = plain.communication[cost::index_of(Group::data)];
  EXPECT_DOUBLE_EQ(plain.data_exposed.value(), data.total.value());
  scenario.parallelism.overlap.grad_reduce = true;
  const StepTime hidden = step_time(scenario, cost::Pricer{scenario}, stage, kMicroBatch);
  const Communication& overlapped = hidden.communication[cost::index_of(Group::data)];
  Operator reduce;
  reduce.overlapped = true;
  reduce.bytes = overlapped.bytes;
  const auto buckets = static_cast<double>(data_messages(scenario, stage, reduce));
  const double bucket = overlapped.total.value() / buckets;
  EXPECT_GT(buckets, 10);
  EXPECT_NEAR(hidden.data_exposed.value(), bucket + 0.1 * (overlapped.total.value() - bucket), 1e-12);
}

TEST(StepTime, OneRankHasNoCommunication) {
  Scenario scenario = example_scenario();
  const StepTime step = step_time(scenario, cost::Pricer{scenario}, {{{24, true, true}}}, kMicroBatch);
  EXPECT_EQ(step.data_exposed.value(), 0.0);
  EXPECT_EQ(step.embedding.value(), 0.0);
  EXPECT_GT(step.optimizer.value(), 0.0);
}

}  // namespace
}  // namespace shardsim::engine
