// What theory says of pipelines of equal stages, to the picosecond.
#include <gtest/gtest.h>

#include "tests/engine/event/hand_made.hpp"

namespace shardsim::engine::event {
namespace {

using model::Schedule;

model::Parallelism pipeline(std::int64_t stages, Schedule schedule, std::int64_t chunks = 1) {
  model::Parallelism parallelism;
  parallelism.pipeline_model_parallel_size = stages;
  parallelism.schedule = schedule;
  parallelism.virtual_pipeline_model_parallel_size = chunks;
  return parallelism;
}

/// Idle of every unit's device over the makespan.
double idle_share(const Programs& programs) {
  const SlownessMap slowness{example_scenario(), programs, {}, 1};
  Player player{programs, slowness, 1, 1.0};
  player.play();
  Picoseconds busy = 0;
  for (const Unit& unit : player.units()) busy += unit.account.busy;
  return 1.0 - static_cast<double>(busy) / static_cast<double>(player.iteration()) /
                   static_cast<double>(player.units().size());
}

// Bubble over ideal time (p − 1)/m, idle over makespan (p − 1)/(m + p − 1): GPipe and 1F1B alike.
TEST(Schedules, BubbleOfEqualStages) {
  constexpr ChunkTimes kTimes{1'000'000'000, 1'100'000'000, 900'000'000};
  for (const std::int64_t p : {1, 2, 4, 8}) {
    for (const std::int32_t m : {8, 9, 64}) {
      const Picoseconds ideal = m * 3'000'000'000LL;
      for (const Schedule schedule : {Schedule::gpipe, Schedule::one_f_one_b}) {
        const Programs programs = equal_stages(pipeline(p, schedule), m, kTimes);
        EXPECT_EQ(makespan(programs) - ideal, (p - 1) * 3'000'000'000LL) << p << " stages, " << m;
        EXPECT_NEAR(idle_share(programs), static_cast<double>(p - 1) / static_cast<double>(m + p - 1), 1e-12);
      }
    }
  }
}

// (p − 1)/(v·m), and (p − 1)/(v·m + p − 1) of the makespan.
TEST(Schedules, BubbleOfInterleavedStages) {
  constexpr ChunkTimes kTimes{1'000'000'000, 1'000'000'000, 1'000'000'000};
  for (const std::int64_t p : {2, 4, 8}) {
    for (const std::int64_t v : {2, 3, 5}) {
      for (const std::int32_t m : {8, 16, 64}) {
        const Programs programs = equal_stages(pipeline(p, Schedule::interleaved_one_f_one_b, v), m, kTimes);
        EXPECT_EQ(makespan(programs), (v * m + p - 1) * 3'000'000'000LL);
        EXPECT_NEAR(idle_share(programs), static_cast<double>(p - 1) / static_cast<double>(v * m + p - 1), 1e-12);
      }
    }
  }
}

// Qi et al. 2023, Table 1, with T_F = T_B = T_W: the bubble of H1 is a third of 1F1B's, (p − 1)·T; its last stage ends
// T_F + T_B − 2·T_W = 0 later with ZB-2p, whose first and last stage are (p − 1)·(T_F + T_B) apart all the same.
TEST(Schedules, ZeroBubble) {
  constexpr ChunkTimes kTimes{1'000'000'000, 1'000'000'000, 1'000'000'000};
  for (const std::int64_t p : {4, 8}) {
    const Picoseconds ideal = 32 * 3'000'000'000LL;
    EXPECT_EQ(makespan(equal_stages(pipeline(p, Schedule::zero_bubble_h1), 32, kTimes)) - ideal,
              (p - 1) * 1'000'000'000LL);
    EXPECT_EQ(makespan(equal_stages(pipeline(p, Schedule::zero_bubble_1p), 32, kTimes)) - ideal,
              (p - 1) * 1'000'000'000LL);
    Programs twice = equal_stages(pipeline(p, Schedule::zero_bubble_2p), 32, kTimes);
    twice.iterations = 4;
    EXPECT_EQ(makespan(twice), ideal);
  }
}

}  // namespace
}  // namespace shardsim::engine::event
