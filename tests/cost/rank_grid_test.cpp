#include "sim/model/rank_grid.hpp"

#include <gtest/gtest.h>

namespace shardsim::model {
namespace {

struct Sizes {
  std::int64_t tp, cp, dp, pp, gpus_per_node;
};

Scenario grid(Sizes sizes, RankOrder order = RankOrder::tp_cp_dp_pp) {
  Scenario scenario;
  scenario.parallelism.tensor_model_parallel_size = sizes.tp;
  scenario.parallelism.context_parallel_size = sizes.cp;
  scenario.parallelism.data_parallel_size = sizes.dp;
  scenario.parallelism.pipeline_model_parallel_size = sizes.pp;
  scenario.parallelism.rank_order = order;
  scenario.cluster.gpus_per_node = sizes.gpus_per_node;
  return scenario;
}

void expect(const GroupPlacement& group, std::int64_t size, std::int64_t ranks_per_node, std::int64_t nodes) {
  EXPECT_EQ(group.size, size);
  EXPECT_EQ(group.ranks_per_node, ranks_per_node);
  EXPECT_EQ(group.nodes, nodes);
}

// DGX-2H: 16 GPUs a node hold two TP8 groups, so each data-parallel group has 2 ranks on each of 32 nodes.
TEST(RankGrid, TwoTensorGroupsInANode) {
  const Scenario scenario = grid({8, 1, 64, 1, 16});
  expect(place(scenario, Group::tensor), 8, 8, 1);
  expect(place(scenario, Group::data), 64, 2, 32);
  expect(place(scenario, Group::context), 1, 1, 1);
  expect(place(scenario, Group::pipeline), 1, 1, 1);
  expect(place(scenario, Group::embedding), 1, 1, 1);
  expect(place(scenario, Group::model), 8, 8, 1);
}

TEST(RankGrid, TensorGroupOverTwoNodes) { expect(place(grid({16, 1, 2, 1, 8}), Group::tensor), 16, 8, 2); }

// 8 GPUs a node, TP4 DP2 PP4: pipeline stride 8, one stage a node; first and last stage 3 nodes apart.
TEST(RankGrid, PipelineLast) {
  const Scenario scenario = grid({4, 1, 2, 4, 8});
  expect(place(scenario, Group::data), 2, 2, 1);
  expect(place(scenario, Group::pipeline), 4, 1, 4);
  expect(place(scenario, Group::embedding), 2, 1, 2);
  expect(place(scenario, Group::model), 16, 4, 4);
}

// The same with tp-cp-pp-dp: pipeline stride 4 puts two stages in a node, data stride 16 two nodes apart.
TEST(RankGrid, PipelineBeforeData) {
  const Scenario scenario = grid({4, 1, 2, 4, 8}, RankOrder::tp_cp_pp_dp);
  expect(place(scenario, Group::pipeline), 4, 2, 2);
  expect(place(scenario, Group::data), 2, 1, 2);
}

// TP2 CP2 DP4, 8 a node: context ranks {0, 2}; gradients are shared by {0, 2, 4, ..., 14}: 4 in each of 2 nodes.
TEST(RankGrid, ContextRanksShareGradients) {
  const Scenario scenario = grid({2, 2, 4, 1, 8});
  expect(place(scenario, Group::context), 2, 2, 1);
  expect(place(scenario, Group::data), 8, 4, 2);
}

// Pipeline inside one node: TP1 DP1 PP4.
TEST(RankGrid, PipelineInsideANode) { expect(place(grid({1, 1, 1, 4, 8}), Group::pipeline), 4, 4, 1); }

// Hybrid shard over 4 nodes of 8: state sharded inside a node, each shard on all 4 nodes.
TEST(RankGrid, HybridShard) {
  Scenario scenario = grid({1, 1, 32, 1, 8});
  scenario.parallelism.num_distributed_optimizer_instances = 4;
  expect(place_hybrid(scenario).shard, 8, 8, 1);
  expect(place_hybrid(scenario).replicas, 4, 1, 4);
}

// 12 ranks on nodes of 8: 8 + 4; the average counts.
TEST(RankGrid, UnevenPlacement) { expect(place(grid({1, 1, 12, 1, 8}), Group::data), 12, 6, 2); }

}  // namespace
}  // namespace shardsim::model
