#include "kernels/communicator/groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/communicator/single_communicator.hpp"
#include "sim/model/rank_grid.hpp"
#include "tests/kernels/communicator/layouts.hpp"

namespace shardsim::kernels {
namespace {

using model::Group;

/// The ranks that share `rank`'s color.
std::vector<int> members(const model::Parallelism& parallelism, Group group, int rank, int ranks) {
  std::vector<int> same;
  const int color = group_color(parallelism, group, rank);
  for (int other = 0; color >= 0 && other < ranks; ++other) {
    if (group_color(parallelism, group, other) == color) same.push_back(other);
  }
  return same;
}

model::Parallelism parallelism(std::int64_t tp, std::int64_t dp, std::int64_t pp, model::RankOrder order) {
  model::Parallelism result;
  result.tensor_model_parallel_size = tp;
  result.data_parallel_size = dp;
  result.pipeline_model_parallel_size = pp;
  result.rank_order = order;
  return result;
}

// Megatron-LM's own example (parallel_state.py, 16 ranks, tp 2, pp 4, dp 2): tensor groups [0,1] [2,3] …, data groups
// [0,2] [1,3] [4,6] …, pipeline groups [0,4,8,12] [1,5,9,13] …
TEST(Groups, MegatronsDocumentedExample) {
  const auto layout = parallelism(2, 2, 4, model::RankOrder::tp_cp_dp_pp);
  using Ranks = std::vector<int>;
  EXPECT_EQ(members(layout, Group::tensor, 3, 16), (Ranks{2, 3}));
  EXPECT_EQ(members(layout, Group::data, 0, 16), (Ranks{0, 2}));
  EXPECT_EQ(members(layout, Group::data, 6, 16), (Ranks{4, 6}));
  EXPECT_EQ(members(layout, Group::pipeline, 5, 16), (Ranks{1, 5, 9, 13}));
  EXPECT_EQ(members(layout, Group::embedding, 1, 16), (Ranks{1, 13}));
  EXPECT_EQ(members(layout, Group::embedding, 5, 16), Ranks{});
  EXPECT_EQ(members(layout, Group::model, 2, 16), (Ranks{2, 3, 6, 7, 10, 11, 14, 15}));
}

// The same sizes in the order tp-cp-pp-dp: pipeline neighbours 2 apart, data neighbours 8 apart.
TEST(Groups, PipelineBeforeData) {
  const auto layout = parallelism(2, 2, 4, model::RankOrder::tp_cp_pp_dp);
  EXPECT_EQ(members(layout, Group::pipeline, 9, 16), (std::vector<int>{9, 11, 13, 15}));
  EXPECT_EQ(members(layout, Group::data, 9, 16), (std::vector<int>{1, 9}));
}

// The simulator places rank 0's groups; for every layout of 8 ranks and node size both must see the same nodes.
TEST(Groups, AgreeWithTheSimulatorsRankGrid) {
  constexpr int kRanks = 8;
  const auto all = test::layouts(kRanks);
  ASSERT_EQ(all.size(), 40U);  // ordered factorisations of 2³ into 4: C(3 + 3, 3) = 20, in two orders
  for (const model::Parallelism& layout : all) {
    for (const std::int64_t gpus_per_node : {1, 2, 4, 8}) {
      model::Scenario scenario;
      scenario.parallelism = layout;
      scenario.cluster.gpus_per_node = gpus_per_node;
      for (const Group kind :
           {Group::tensor, Group::context, Group::pipeline, Group::data, Group::embedding, Group::model}) {
        const std::vector<int> ranks = members(layout, kind, 0, kRanks);
        std::set<std::int64_t> nodes;
        for (const int rank : ranks) nodes.insert(rank / gpus_per_node);
        const model::GroupPlacement placement = model::place(scenario, kind);
        EXPECT_EQ(std::max<std::size_t>(ranks.size(), 1), static_cast<std::size_t>(placement.size));
        EXPECT_EQ(std::max<std::size_t>(nodes.size(), 1), static_cast<std::size_t>(placement.nodes));
      }
    }
  }
}

// Groups of a kind divide the ranks, and ranks of a group differ only along the group's axes.
TEST(Groups, CoordinatesAndColorsDescribeTheSameGrid) {
  for (const model::Parallelism& layout : test::layouts(8)) {
    std::set<std::vector<int>> places;
    for (int rank = 0; rank < 8; ++rank) {
      const RankCoordinates at = rank_coordinates(layout, rank);
      places.insert({at.tensor, at.context, at.data, at.pipeline});
      for (const int other : members(layout, Group::tensor, rank, 8)) {
        const RankCoordinates peer = rank_coordinates(layout, other);
        EXPECT_EQ(peer.context, at.context);
        EXPECT_EQ(peer.data, at.data);
        EXPECT_EQ(peer.pipeline, at.pipeline);
      }
      for (const int other : members(layout, Group::data, rank, 8)) {
        EXPECT_EQ(rank_coordinates(layout, other).tensor, at.tensor);
        EXPECT_EQ(rank_coordinates(layout, other).pipeline, at.pipeline);
      }
    }
    EXPECT_EQ(places.size(), 8U);
  }
}

TEST(Groups, OfOneRank) {
  const Groups groups = make_groups({}, make_single_communicator());
  EXPECT_EQ(groups.world->size(), 1);
  EXPECT_EQ(groups.tensor->size(), 1);
  EXPECT_EQ(groups.embedding, nullptr);
}

TEST(Groups, RefuseAnotherNumberOfRanks) {
  try {
    (void)make_groups(parallelism(2, 2, 1, model::RankOrder::tp_cp_dp_pp), make_single_communicator());
    FAIL() << "accepted";
  } catch (const CommunicatorError& error) {
    EXPECT_NE(std::string(error.what()).find("needs 4 ranks"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("1 were started"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace shardsim::kernels
