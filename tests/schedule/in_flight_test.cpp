#include "sim/schedule/in_flight.hpp"

#include <gtest/gtest.h>

#include "sim/base/check.hpp"

namespace shardsim::schedule {
namespace {

using model::Parallelism;
using model::Schedule;

Parallelism pipeline(Schedule schedule, std::int64_t stages, std::int64_t chunks = 1) {
  Parallelism parallelism;
  parallelism.schedule = schedule;
  parallelism.pipeline_model_parallel_size = stages;
  parallelism.virtual_pipeline_model_parallel_size = chunks;
  return parallelism;
}

TEST(InFlight, GpipeHoldsEveryMicroBatch) {
  EXPECT_EQ(chunks_in_flight(pipeline(Schedule::gpipe, 4), 16, 0), 16);
  EXPECT_EQ(chunks_in_flight(pipeline(Schedule::gpipe, 4), 16, 3), 16);
  EXPECT_EQ(chunks_in_flight(pipeline(Schedule::breadth_first, 4, 3), 16, 3), 48);
  EXPECT_EQ(most_held(pipeline(Schedule::breadth_first, 4, 3), 16, 3, {Bytes{1}, Bytes{1}, Bytes{2}}), Bytes{64});
}

TEST(InFlight, OneFOneBHoldsTheStagesThatFollow) {
  const Parallelism parallelism = pipeline(Schedule::one_f_one_b, 4);
  EXPECT_EQ(chunks_in_flight(parallelism, 16, 0), 4);
  EXPECT_EQ(chunks_in_flight(parallelism, 16, 3), 1);
  EXPECT_EQ(chunks_in_flight(parallelism, 2, 0), 2);
}

// ZB-1p on stage i: p − i whole micro batches and i weight gradients (Qi et al. 2023, Table 1).
TEST(InFlight, ZeroBubble1pWaitsForWeightGradientsOnLaterStages) {
  const Parallelism parallelism = pipeline(Schedule::zero_bubble_1p, 4);
  EXPECT_EQ(weight_gradients_pending(parallelism, 16, 0), 0);
  EXPECT_EQ(weight_gradients_pending(parallelism, 16, 3), 3);
  EXPECT_EQ(weight_gradients_pending(parallelism, 2, 3), 1);
  EXPECT_EQ(weight_gradients_pending(pipeline(Schedule::zero_bubble_2p, 4), 16, 3), 0);
}

// p = 4, v = 2, g = 4: stage 0 holds 2·3 + 1·4 + 1 = 11 of 16·2 = 32; stage 3 holds 0 + 4 + 1 = 5.
// As micro batches of a whole stage: 11/2 = 5.5 = p·(1 + (p−1)/(p·v)) = 4·1.375.
TEST(InFlight, InterleavedCountsChunks) {
  Parallelism parallelism = pipeline(Schedule::interleaved_one_f_one_b, 4, 2);
  EXPECT_EQ(chunks_in_flight(parallelism, 16, 0), 11);
  EXPECT_EQ(chunks_in_flight(parallelism, 16, 3), 5);
  EXPECT_EQ(chunks_in_flight(parallelism, 4, 0), 8);
  parallelism.microbatch_group_size_per_virtual_pipeline_stage = 6;  // 2·3 + 1·6 + 1
  EXPECT_EQ(chunks_in_flight(parallelism, 16, 0), 13);
}

TEST(InFlight, ZeroBubble) {
  EXPECT_EQ(chunks_in_flight(pipeline(Schedule::zero_bubble_h1, 8), 32, 2), 8);
  EXPECT_EQ(chunks_in_flight(pipeline(Schedule::zero_bubble_1p, 8), 32, 7), 8);
  EXPECT_EQ(chunks_in_flight(pipeline(Schedule::zero_bubble_2p, 8), 32, 7), 15);
  EXPECT_EQ(chunks_in_flight(pipeline(Schedule::zero_bubble_2p, 8), 10, 7), 10);
}

// Stage 3 of 4, 2 chunks: 4 forwards ahead. At the 5th forward it holds 4 of chunk 0 and 1 of chunk 1; at the 9th, with
// 4 backwards done on chunk 1, 5 of chunk 0. All in flight with 5 micro batches in groups of 4 and 1: no more than 5
// each.
TEST(InFlight, ChunksPeakAtDifferentMoments) {
  const Parallelism parallelism = pipeline(Schedule::interleaved_one_f_one_b, 4, 2);
  EXPECT_EQ(most_held(parallelism, 16, 3, {Bytes{10}, Bytes{10}}), Bytes{50});
  EXPECT_EQ(most_held(parallelism, 16, 3, {Bytes{10}, Bytes{9}}), Bytes{50});
  EXPECT_EQ(most_held(parallelism, 16, 3, {Bytes{10}, Bytes{11}}), Bytes{51});
  EXPECT_EQ(most_held(parallelism, 4, 3, {Bytes{10}, Bytes{9}}), Bytes{49});
  EXPECT_EQ(most_held(parallelism, 5, 0, {Bytes{1}, Bytes{1000}}), Bytes{5005});
}

TEST(InFlight, StageOutsideThePipelineIsABug) {
  EXPECT_THROW((void)chunks_in_flight(pipeline(Schedule::one_f_one_b, 4), 8, 4), Bug);
}

}  // namespace
}  // namespace shardsim::schedule
