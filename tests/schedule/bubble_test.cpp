#include "sim/schedule/bubble.hpp"

#include <gtest/gtest.h>

namespace shardsim::schedule {
namespace {

using model::Parallelism;
using model::Schedule;

constexpr StageTime stage(double forward, double backward, double weight_gradient) {
  return {Seconds{forward}, Seconds{backward}, Seconds{weight_gradient}};
}

Parallelism pipeline(Schedule schedule, std::int64_t stages, std::int64_t chunks = 1) {
  Parallelism parallelism;
  parallelism.schedule = schedule;
  parallelism.pipeline_model_parallel_size = stages;
  parallelism.virtual_pipeline_model_parallel_size = chunks;
  return parallelism;
}

/// (span − ideal)/ideal with four equal stages, T_F = T_B = T_W = 1 and 8 micro batches: ideal = 8·3 = 24.
double bubble_share(Schedule schedule, std::int64_t chunks = 1) {
  const std::vector<StageTime> stages(4, stage(1, 2, 1));
  return pipeline_span(pipeline(schedule, 4, chunks), stages, 8).value() / 24.0 - 1.0;
}

TEST(Bubble, EqualStagesHaveThePublishedShares) {
  EXPECT_DOUBLE_EQ(bubble_share(Schedule::one_f_one_b), 3.0 / 8);                  // (p − 1)/m
  EXPECT_DOUBLE_EQ(bubble_share(Schedule::gpipe), 3.0 / 8);                        // (p − 1)/m
  EXPECT_DOUBLE_EQ(bubble_share(Schedule::interleaved_one_f_one_b, 2), 3.0 / 16);  // (p − 1)/(v·m)
  EXPECT_DOUBLE_EQ(bubble_share(Schedule::breadth_first, 2), 3.0 / 16);            // (p − 1)/(v·m)
  EXPECT_DOUBLE_EQ(bubble_share(Schedule::zero_bubble_h1), 3.0 / 24);              // (p − 1)/(3m)
  EXPECT_DOUBLE_EQ(bubble_share(Schedule::zero_bubble_1p), 3.0 / 24);
  EXPECT_DOUBLE_EQ(bubble_share(Schedule::zero_bubble_2p), 0.0);
}

TEST(Bubble, OneStageHasNone) {
  for (const Schedule schedule : {Schedule::gpipe, Schedule::one_f_one_b, Schedule::zero_bubble_h1}) {
    EXPECT_DOUBLE_EQ(pipeline_span(pipeline(schedule, 1), {stage(1, 2, 1)}, 5).value(), 15.0);
  }
}

// Stages (1 + 2) and (2 + 3), 4 micro batches.
// 1F1B: 3 + 5 + 3·5 = 23. GPipe: (1 + 2 + 3·2) + (2 + 3 + 3·3) = 23. Interleaved, v = 2: 4·5 + 3/2 = 21.5.
// H1: 4·5 + (3 − 2·1) = 21; H2: 4·5 + max(0, 3 − 3·1) = 20.
TEST(Bubble, UnequalStages) {
  const std::vector<StageTime> stages{stage(1, 2, 1), stage(2, 3, 1.5)};
  EXPECT_EQ(slowest_stage(stages), 1U);
  EXPECT_DOUBLE_EQ(one_f_one_b_span(stages, 4).value(), 23.0);
  EXPECT_DOUBLE_EQ(gpipe_span(stages, 4).value(), 23.0);
  EXPECT_DOUBLE_EQ(interleaved_span(stages, 4, 2).value(), 21.5);
  EXPECT_DOUBLE_EQ(pipeline_span(pipeline(Schedule::zero_bubble_h1, 2), stages, 4).value(), 21.0);
  EXPECT_DOUBLE_EQ(pipeline_span(pipeline(Schedule::zero_bubble_2p, 2), stages, 4).value(), 20.0);
}

// Forward and backward have different slowest stages: GPipe (1 + 3 + 3) + (4 + 1 + 4) = 16. 1F1B: the first stage's
// second forward runs while it waits: forwards at 0 and 1; second stage 1-4 forward, 4-5 backward, 5-8, 8-9; backwards
// of the first stage 5-9 and 9-13.
TEST(Bubble, GpipeWaitsForTheSlowestOfEachPass) {
  const std::vector<StageTime> stages{stage(1, 4, 2), stage(3, 1, 0.5)};
  EXPECT_DOUBLE_EQ(gpipe_span(stages, 2).value(), 16.0);
  EXPECT_DOUBLE_EQ(one_f_one_b_span(stages, 2).value(), 13.0);
  // Two chunks: (2·3 + 1/2) + (2·4 + 1/2).
  EXPECT_DOUBLE_EQ(breadth_first_span(stages, 2, 2).value(), 15.0);
}

// Stages of 3, 6 and 3 and three micro batches, forwards 1, 2, 1. The middle stage waits 1 for the first forward, works
// 1-3 and 3-5 (its warm-up, while the last stage takes 3-6), 6-10, 10-12, 12-16, then has nothing to wait for: its
// third forward, done at 12, is back at 15. 16-20, and the first stage's last backward 20-22.
TEST(Bubble, AnInnerSlowStageWarmsUpWhileItWaits) {
  const std::vector<StageTime> stages{stage(1, 2, 1), stage(2, 4, 2), stage(1, 2, 1)};
  EXPECT_DOUBLE_EQ(one_f_one_b_span(stages, 3).value(), 22.0);
}

// Five stages and two micro batches: 1 + 2/4 weight gradients per stage move instead of H2's 3:
// 2·3 + 4·(3 − 1.5) = 12.
TEST(Bubble, NoMoreWeightGradientsMoveThanThereAre) {
  const std::vector<StageTime> stages(5, stage(1, 2, 1));
  EXPECT_DOUBLE_EQ(pipeline_span(pipeline(Schedule::zero_bubble_2p, 5), stages, 2).value(), 12.0);
}

// The last of three stages ends two backwards (2 + 3) before the first; with two chunks half of that.
TEST(Bubble, LaterStagesEndEarlier) {
  const Seconds before{2.0 + 3.0};
  EXPECT_DOUBLE_EQ(drain_lead(pipeline(Schedule::one_f_one_b, 3), before).value(), 5.0);
  EXPECT_DOUBLE_EQ(drain_lead(pipeline(Schedule::interleaved_one_f_one_b, 3, 2), before).value(), 2.5);
  EXPECT_DOUBLE_EQ(drain_lead(pipeline(Schedule::zero_bubble_h1, 3), before).value(), 0.0);
}

}  // namespace
}  // namespace shardsim::schedule
