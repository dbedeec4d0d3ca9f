#include "sim/model/layout.hpp"

#include <gtest/gtest.h>

#include "tests/support/scenarios.hpp"

namespace shardsim::model {
namespace {

std::vector<std::int64_t> layers_per_stage(const Scenario& scenario) {
  std::vector<std::int64_t> layers;
  for (const Stage& stage : layout(scenario.model, scenario.parallelism, scenario.stack)) {
    layers.push_back(stage.layers());
  }
  return layers;
}

std::string problem(const Scenario& scenario) {
  return layout_problem(scenario.model, scenario.parallelism, scenario.stack);
}

Scenario pipelined(std::int64_t layers, std::int64_t pp, std::int64_t chunks) {
  Scenario scenario = tests::gpt(layers, 1024, 16, 1024, 1);
  tests::divide(scenario, 1, pp, 1, pp);
  scenario.parallelism.virtual_pipeline_model_parallel_size = chunks;
  return scenario;
}

TEST(Layout, MegatronSplitsEqually) {
  EXPECT_EQ(layers_per_stage(pipelined(24, 4, 1)), (std::vector<std::int64_t>{6, 6, 6, 6}));
  const std::vector<Stage> stages = layout(pipelined(24, 4, 3).model, pipelined(24, 4, 3).parallelism, Stack{});
  ASSERT_EQ(stages.size(), 4U);
  for (const Stage& stage : stages) {
    ASSERT_EQ(stage.chunks.size(), 3U);
    for (const Chunk& chunk : stage.chunks) EXPECT_EQ(chunk.layers, 2);  // 24 / (4·3)
  }
  EXPECT_TRUE(stages.front().has_embedding());
  EXPECT_FALSE(stages.front().has_head());
  EXPECT_TRUE(stages.back().has_head());
}

// 80 layers do not divide into 16 · 2 pieces; some versions of Megatron drop the remainder and train 64 layers.
TEST(Layout, RefusesTheSilentRemainder) {
  EXPECT_NE(problem(pipelined(80, 16, 2)).find("80 layers"), std::string::npos);
  EXPECT_EQ(problem(pipelined(80, 16, 1)), "");
}

// Megatron-Core: 126 layers + embedding + loss = 128 = 16 · 8; the ends hold one layer less.
TEST(Layout, EmbeddingAndLossCountAsLayers) {
  Scenario scenario = pipelined(126, 16, 1);
  EXPECT_NE(problem(scenario), "");
  scenario.parallelism.account_for_embedding_in_pipeline_split = true;
  scenario.parallelism.account_for_loss_in_pipeline_split = true;
  ASSERT_EQ(problem(scenario), "");
  const std::vector<std::int64_t> layers = layers_per_stage(scenario);
  EXPECT_EQ(layers.front(), 7);
  EXPECT_EQ(layers[1], 8);
  EXPECT_EQ(layers.back(), 7);
}

// 12 layers, first and last stage 2 each: (12 − 4) / 2 = 4 on the two others.
TEST(Layout, FirstAndLastStageGiven) {
  Scenario scenario = pipelined(12, 4, 1);
  scenario.parallelism.decoder_first_pipeline_num_layers = 2;
  scenario.parallelism.decoder_last_pipeline_num_layers = 2;
  EXPECT_EQ(layers_per_stage(scenario), (std::vector<std::int64_t>{2, 4, 4, 2}));
  scenario.parallelism.decoder_last_pipeline_num_layers = 3;
  EXPECT_NE(problem(scenario), "");  // 7 layers left for 2 stages
}

TEST(Layout, OtherStacksSplitUnevenly) {
  Scenario scenario = pipelined(30, 4, 1);
  EXPECT_NE(problem(scenario), "");
  scenario.stack.layer_split = LayerSplit::even_remainder_first;
  EXPECT_EQ(layers_per_stage(scenario), (std::vector<std::int64_t>{8, 8, 7, 7}));
  // 30 + embedding + head = 32 blocks, 8 each; the ends give one to embedding and head.
  scenario.stack.layer_split = LayerSplit::balanced_blocks;
  EXPECT_EQ(layers_per_stage(scenario), (std::vector<std::int64_t>{7, 8, 8, 7}));
  scenario.stack.layer_split = LayerSplit::lighter_ends;
  EXPECT_EQ(layers_per_stage(scenario), (std::vector<std::int64_t>{7, 8, 8, 7}));
  scenario.model.num_layers = 32;  // 34 is no multiple of 4
  EXPECT_NE(problem(scenario), "");
}

// A head of exactly 4 layers' cost (131,072 · 2,048 against 4·2,048² + 3·2,048·8,192): 20 units, 5 a piece: the fifth,
// tenth and fifteenth layer reach the shares exactly. With 8 units of head 24 units, 3 3/7 each of 7 pieces:
// the fourth, seventh, eleventh, fourteenth layer are the first past 3.4, 6.9, 10.3 and 13.7.
TEST(Layout, PiecesCloseWhenTheirShareOfTheCostIsReached) {
  Scenario scenario = tests::gpt(16, 2048, 32, 4096, 1);
  tests::divide(scenario, 1, 4, 1, 4);
  scenario.model.ffn_hidden_size = 8192;
  scenario.model.vocab_size = 131'072;
  scenario.stack.layer_split = LayerSplit::balanced_cost;
  EXPECT_EQ(layers_per_stage(scenario), (std::vector<std::int64_t>{5, 5, 5, 1}));
  scenario.model.vocab_size = 262'144;
  tests::divide(scenario, 1, 7, 1, 4);
  EXPECT_EQ(layers_per_stage(scenario), (std::vector<std::int64_t>{4, 3, 4, 3, 2, 0, 0}));
}

TEST(Layout, EveryLayerIsPlacedOnce) {
  for (const LayerSplit rule : {LayerSplit::megatron, LayerSplit::even_remainder_first, LayerSplit::balanced_blocks}) {
    for (std::int64_t layers = 8; layers <= 96; layers += 4) {
      for (const std::int64_t pp : {1, 2, 4, 8}) {
        Scenario scenario = pipelined(layers, pp, 1);
        scenario.stack.layer_split = rule;
        if (!problem(scenario).empty()) continue;
        std::int64_t placed = 0;
        for (const std::int64_t on_stage : layers_per_stage(scenario)) placed += on_stage;
        EXPECT_EQ(placed, layers);
      }
    }
  }
}

}  // namespace
}  // namespace shardsim::model
