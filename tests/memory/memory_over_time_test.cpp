#include "sim/memory/memory_over_time.hpp"

#include <gtest/gtest.h>

#include "sim/base/check.hpp"
#include "sim/memory/activations.hpp"
#include "sim/memory/model_state.hpp"
#include "sim/model/rank_sizes.hpp"
#include "tests/support/scenarios.hpp"

namespace shardsim::memory {
namespace {

using schedule::Order;
using schedule::Work;

/// 10 held throughout; action 0 allocates 5 and 7 and releases the 7, action 2 releases the 5, the step holds 4.
MemoryChanges by_hand() {
  return {{{kBeforeIteration, 0, Bytes{10}},
           {0, 1, Bytes{5}},
           {0, 2, Bytes{7}},
           {0, 2, Bytes{-7}},
           {2, 1, Bytes{-5}},
           {3, 3, Bytes{4}},
           {3, 3, Bytes{-4}}},
          3,
          4};
}

TEST(Replay, LevelsDuringAndAfterEachAction) {
  const MemoryOverTime memory = replay(by_hand());
  EXPECT_EQ(memory.before, Bytes{10});
  EXPECT_EQ(memory.peak, Bytes{22});
  EXPECT_EQ(memory.peak_action, 0);
  ASSERT_EQ(memory.levels.size(), 4U);
  EXPECT_EQ(memory.levels[0].peak, Bytes{22});
  EXPECT_EQ(memory.levels[0].after, Bytes{15});
  EXPECT_EQ(memory.levels[1].peak, Bytes{15});  // nothing happens
  EXPECT_EQ(memory.levels[1].after, Bytes{15});
  EXPECT_EQ(memory.levels[2].peak, Bytes{15});  // released at its end
  EXPECT_EQ(memory.levels[2].after, Bytes{10});
  EXPECT_EQ(memory.levels[3].peak, Bytes{14});
  EXPECT_EQ(memory.levels[3].after, Bytes{10});
}

// Each takes 512 B of the allocator's 2 MiB segment: 3 at once.
TEST(Replay, ThroughTheAllocator) {
  CachingAllocator allocator;
  const MemoryOverTime memory = replay(by_hand(), allocator);
  EXPECT_EQ(memory.before, Bytes{512});
  EXPECT_EQ(memory.peak, Bytes{3 * 512});
  EXPECT_EQ(memory.levels[1].after, Bytes{2 * 512});
  EXPECT_EQ(memory.levels[1].reserved, 2_MiB);
  EXPECT_FALSE(memory.failed.has_value());
}

// 70 + 40 MiB do not fit into 100.
TEST(Replay, StopsWhereTheDeviceIsFull) {
  CachingAllocator allocator{Segments::fixed, 100_MiB};
  const MemoryOverTime memory = replay({{{kBeforeIteration, 0, 70_MiB}, {1, 1, 40_MiB}}, 2, 2}, allocator);
  ASSERT_TRUE(memory.failed.has_value());
  EXPECT_EQ(*memory.failed, 1);
  EXPECT_EQ(memory.peak, 70_MiB);
}

TEST(Samples, AtTheStartAndTheEndOfEachAction) {
  const MemoryOverTime memory = replay(by_hand());
  const std::vector<ActionTime> times{{100, 200}, {200, 300}, {350, 400}, {400, 500}};
  const std::vector<model::MemorySample> all = samples(memory, times, 7);
  ASSERT_EQ(all.size(), 9U);
  EXPECT_EQ(all[0].time, 0);
  EXPECT_EQ(all[0].allocated, Bytes{10});
  EXPECT_EQ(all[1].rank, 7);
  EXPECT_EQ(all[1].time, 100);
  EXPECT_EQ(all[1].allocated, Bytes{22});
  EXPECT_EQ(all[2].time, 200);
  EXPECT_EQ(all[2].allocated, Bytes{15});
  EXPECT_EQ(all[8].time, 500);
  EXPECT_EQ(all[8].allocated, Bytes{10});
  EXPECT_THROW((void)samples(memory, {}, 7), Bug);
}

/// The last of two stages with two layers each; three micro batches.
struct LastStage {
  model::Scenario scenario;
  model::OperatorList operators;
  model::Stage stage;

  LastStage() : scenario{tests::gpt(4, 512, 8, 512, 2)} {
    tests::divide(scenario, 1, 2, 1, 3);
    operators = list_operators(scenario);
    stage = layout(scenario.model, scenario.parallelism, scenario.stack).back();
  }
  [[nodiscard]] MemoryOverTime play(const Order& order) const {
    return replay(memory_changes(scenario, operators, stage, order));
  }
  /// Over what is held throughout and the pipeline's buffers.
  [[nodiscard]] std::vector<std::int64_t> after_each(const Order& order) const {
    const MemoryOverTime memory = play(order);
    const Bytes base = memory.before + pipeline_buffers(scenario, model::RankSizes{scenario});
    std::vector<std::int64_t> after;
    for (std::size_t i = 0; i < order.size(); ++i) after.push_back((memory.levels[i].after - base).value());
    return after;
  }
};

// A forward leaves its activations and the softmax (4 B a logit); the backward takes both away, the input gradient
// alone only the softmax. The last action gives the pipeline's buffers back too.
TEST(MemoryChanges, WhatAPassLeaves) {
  const LastStage last;
  const Bytes activations = chunk_activations(last.scenario, last.operators, last.stage.chunks.front());
  const std::int64_t a = activations.value();
  const std::int64_t softmax = 4 * 2 * 512 * 51'200;
  const std::int64_t buffers = pipeline_buffers(last.scenario, model::RankSizes{last.scenario}).value();
  EXPECT_EQ(last.after_each({{0, 0, Work::forward}, {0, 0, Work::backward}, {1, 0, Work::forward}}),
            (std::vector<std::int64_t>{a + softmax, 0, a + softmax - buffers}));
  EXPECT_EQ(
      last.after_each(
          {{0, 0, Work::forward}, {0, 0, Work::input_gradient}, {1, 0, Work::forward}, {0, 0, Work::weight_gradient}}),
      (std::vector<std::int64_t>{a + softmax, a, 2 * a + softmax, a + softmax - buffers}));
}

// The loss holds all its logits, the backward its temporaries, both on top of the activations; then the step's.
TEST(MemoryChanges, WhatAPassHoldsWhileItRuns) {
  const LastStage last;
  const model::RankSizes sizes{last.scenario};
  const Bytes activations = chunk_activations(last.scenario, last.operators, last.stage.chunks.front());
  const Bytes buffers = pipeline_buffers(last.scenario, sizes);
  const MemoryOverTime memory = last.play({{0, 0, Work::forward}, {0, 0, Work::backward}});
  const Logits loss = logits(last.scenario, sizes);
  const Bytes temporaries = backward_temporaries(last.scenario, last.operators, sizes, last.stage);
  ASSERT_GT(loss.peak, temporaries);
  EXPECT_EQ(memory.levels[0].peak - memory.before, buffers + activations + loss.peak);
  EXPECT_EQ(memory.levels[1].peak, memory.levels[0].peak);
  const Bytes step = model_state(last.scenario, last.stage).step_temporaries;
  ASSERT_GT(step, Bytes{0});
  EXPECT_EQ(memory.levels[2].peak - memory.before, step);
  EXPECT_EQ(memory.levels[2].after, memory.before);
}

}  // namespace
}  // namespace shardsim::memory
