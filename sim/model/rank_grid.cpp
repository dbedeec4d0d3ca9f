#include "sim/model/rank_grid.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace shardsim::model {
namespace {

/// `count` ranks, `stride` apart.
struct Axis {
  std::int64_t count = 1;
  std::int64_t stride = 1;
};

/// Distances between neighbours of each kind, in global ranks.
struct Strides {
  std::int64_t context;
  std::int64_t data;
  std::int64_t pipeline;
};

/// Megatron-LM's RankGenerator: each group's stride is the product of the sizes before it in the order.
Strides strides(const Parallelism& parallelism) {
  const std::int64_t tp = parallelism.tensor_model_parallel_size;
  const std::int64_t replica = tp * parallelism.context_parallel_size;
  if (parallelism.rank_order == RankOrder::tp_cp_pp_dp) {
    return {tp, replica * parallelism.pipeline_model_parallel_size, replica};
  }
  return {tp, replica, replica * parallelism.data_parallel_size};
}

/// Counts the nodes that rank 0's group touches; ranks ascend, so a node is entered once.
GroupPlacement placement(Axis inner, Axis outer, std::int64_t gpus_per_node) {
  GroupPlacement group;
  group.size = inner.count * outer.count;
  group.nodes = 0;
  std::int64_t last_node = -1;
  for (std::int64_t j = 0; j < outer.count; ++j) {
    for (std::int64_t i = 0; i < inner.count; ++i) {
      const std::int64_t node = (j * outer.stride + i * inner.stride) / gpus_per_node;
      if (node != last_node) ++group.nodes;
      last_node = node;
    }
  }
  group.ranks_per_node = std::max<std::int64_t>(1, group.size / group.nodes);
  return group;
}

}  // namespace

GroupPlacement place(const Scenario& scenario, Group group) {
  const Parallelism& parallelism = scenario.parallelism;
  const std::int64_t gpus_per_node = scenario.cluster.gpus_per_node;
  SHARDSIM_CHECK(gpus_per_node > 0, "a node without GPUs");
  const Strides stride = strides(parallelism);
  const Axis tensor{parallelism.tensor_model_parallel_size, 1};
  const Axis context{parallelism.context_parallel_size, stride.context};
  const Axis data{parallelism.data_parallel_size, stride.data};
  const Axis pipeline{parallelism.pipeline_model_parallel_size, stride.pipeline};
  switch (group) {
    case Group::none:
      return {};
    case Group::tensor:
      return placement(tensor, {}, gpus_per_node);
    case Group::context:
      return placement(context, {}, gpus_per_node);
    case Group::pipeline:
      return placement(pipeline, {}, gpus_per_node);
    case Group::data:
      return placement(context, data, gpus_per_node);
    case Group::embedding:
      if (pipeline.count == 1) return {};
      return placement({2, (pipeline.count - 1) * pipeline.stride}, {}, gpus_per_node);
    case Group::model:
      return placement(tensor, pipeline, gpus_per_node);
  }
  SHARDSIM_CHECK(false, "unknown group");
  return {};
}

HybridPlacement place_hybrid(const Scenario& scenario) {
  const Parallelism& parallelism = scenario.parallelism;
  const Strides stride = strides(parallelism);
  const std::int64_t instances = parallelism.num_distributed_optimizer_instances;
  const std::int64_t share = std::max<std::int64_t>(1, parallelism.data_parallel_size / instances);
  const Axis context{parallelism.context_parallel_size, stride.context};
  return {placement(context, {share, stride.data}, scenario.cluster.gpus_per_node),
          placement({instances, share * stride.data}, {}, scenario.cluster.gpus_per_node)};
}

RankPlace place_of_rank(const Parallelism& parallelism, std::int64_t rank) {
  const Strides stride = strides(parallelism);
  return {rank % parallelism.tensor_model_parallel_size, rank / stride.context % parallelism.context_parallel_size,
          rank / stride.data % parallelism.data_parallel_size,
          rank / stride.pipeline % parallelism.pipeline_model_parallel_size};
}

std::int64_t global_rank(const Parallelism& parallelism, const RankPlace& place) {
  const Strides stride = strides(parallelism);
  return place.tensor + place.context * stride.context + place.data * stride.data + place.pipeline * stride.pipeline;
}

}  // namespace shardsim::model
