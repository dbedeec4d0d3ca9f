// The trainer's blocks: what they keep by tensor is what the operator list says that they save.
#include "sim/memory/block_memory.hpp"

#include <gtest/gtest.h>

#include "sim/memory/activations.hpp"
#include "sim/memory/memory.hpp"
#include "sim/memory/stage_replay.hpp"
#include "tests/support/scenarios.hpp"

namespace shardsim::memory {
namespace {

/// As scenarios/stacks/shardsim.toml has it.
model::Scenario trained_gpt() {
  model::Scenario scenario = tests::gpt(4, 64, 4, 32, 2);
  scenario.training.precision = model::DType::fp32;
  scenario.training.gradient_dtype = model::DType::fp32;
  scenario.training.cross_entropy = model::CrossEntropy::in_place;
  scenario.stack.saved.norm_statistics = 8;
  scenario.stack.replays_memory = true;
  scenario.stack.allocator.cublas_workspaces = 0;
  return scenario;
}

TEST(BlockMemory, KeepsWhatTheListSaves) {
  for (const auto granularity :
       {model::RecomputeGranularity::none, model::RecomputeGranularity::selective, model::RecomputeGranularity::full}) {
    for (const auto placement : {model::NormPlacement::pre, model::NormPlacement::post}) {
      model::Scenario scenario = trained_gpt();
      scenario.model.norm_placement = placement;
      scenario.model.output_head = placement == model::NormPlacement::post ? model::OutputHead::masked_lm_and_binary
                                                                           : model::OutputHead::language_model;
      scenario.training.recompute.granularity = granularity;
      tests::divide(scenario, 2, 1, 1, 1);
      scenario.parallelism.sequence_parallel = true;
      const model::Chunk chunk{4, true, true};
      EXPECT_EQ(chunk_memory(scenario, chunk).saved.activations,
                chunk_activations(scenario, list_operators(scenario), chunk));
    }
  }
}

// Two blocks, 10 kept each; peaks of 15 forward and 18 backward: the second runs on top of what the first keeps.
TEST(BlockMemory, FollowsOneAfterTheOther) {
  const auto held = [](std::int64_t bytes) { return Held{Bytes{bytes}, Bytes{0}, Bytes{0}}; };
  const BlockMemory block{held(15), held(10), held(18)};
  const BlockMemory both = followed_by(block, block);
  EXPECT_EQ(both.forward.total(), Bytes{25});
  EXPECT_EQ(both.saved.total(), Bytes{20});
  EXPECT_EQ(both.backward.total(), Bytes{28});
  EXPECT_EQ(repeated(block, 3).backward.total(), Bytes{38});
  EXPECT_EQ(repeated(block, 0).saved.total(), Bytes{0});
}

// One stage, one micro batch: tokens, positions, targets and weights of 4 bytes, then the chunk's own peak.
TEST(StageReplay, OfOneMicroBatch) {
  model::Scenario scenario = trained_gpt();
  const std::vector<model::Stage> stages = layout(scenario.model, scenario.parallelism, scenario.stack);
  const BlockMemory chunk = chunk_memory(scenario, stages.front().chunks.front());
  const PassPeak peak = replay_passes(scenario, stages, 0);
  EXPECT_EQ(peak.held.total(), Bytes{4 * 4 * 32 * 2} + largest({chunk.forward, chunk.backward}).total());
}

// GPipe keeps every micro batch, 1F1B at most as many as there are stages ahead; one more kept micro batch costs its
// saved tensors and its tokens.
TEST(StageReplay, SchedulesDifferByMicroBatchesInFlight) {
  model::Scenario scenario = trained_gpt();
  tests::divide(scenario, 1, 2, 1, 6);
  const std::vector<model::Stage> stages = layout(scenario.model, scenario.parallelism, scenario.stack);
  const Bytes each = chunk_memory(scenario, stages[0].chunks[0]).saved.total() + Bytes{4 * 4 * 32 * 2};
  const Bytes one_f_one_b = replay_passes(scenario, stages, 0).held.total();
  scenario.parallelism.schedule = model::Schedule::gpipe;
  EXPECT_EQ(replay_passes(scenario, stages, 0).held.total() - one_f_one_b, 4 * each);
}

TEST(StageReplay, IsWhatTheStackShardsimPredicts) {
  model::Scenario scenario = trained_gpt();
  tests::divide(scenario, 1, 2, 1, 6);
  const std::vector<model::Stage> stages = layout(scenario.model, scenario.parallelism, scenario.stack);
  const Memory predicted = predict_memory(scenario, stages, list_operators(scenario));
  for (std::int64_t stage = 0; stage < 2; ++stage) {
    const StageMemory& memory = predicted.stages[static_cast<std::size_t>(stage)];
    const PassPeak peak = replay_passes(scenario, stages, stage);
    EXPECT_EQ(memory.activations + memory.temporaries + memory.logits, peak.held.total());
    EXPECT_EQ(memory.peak_moment, peak.moment);
  }
}

}  // namespace
}  // namespace shardsim::memory
