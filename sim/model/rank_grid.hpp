// Where the ranks of a group sit: how many nodes a group spans and how many siblings share its NICs.
#pragma once

#include <cstdint>

#include "sim/model/operators.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::model {

/// One group of a kind, as its collectives see the machine. size = ranks_per_node · nodes for regular placements.
struct GroupPlacement {
  std::int64_t size = 1;
  std::int64_t ranks_per_node = 1;
  std::int64_t nodes = 1;
};

/// Placement of the group that the first rank belongs to, ranks in Megatron's order over consecutive GPUs.
/// data: the ranks that share gradients, which are dp · cp (each context-parallel rank sees other tokens).
[[nodiscard]] GroupPlacement place(const Scenario& scenario, Group group);

/// The data group of num_distributed_optimizer_instances instances: consecutive ranks share one sharded state, ranks
/// of the same shard hold its replicas.
struct HybridPlacement {
  GroupPlacement shard;
  GroupPlacement replicas;
};
[[nodiscard]] HybridPlacement place_hybrid(const Scenario& scenario);

/// A rank by its place in every group, each from 0.
struct RankPlace {
  std::int64_t tensor = 0;
  std::int64_t context = 0;
  std::int64_t data = 0;
  std::int64_t pipeline = 0;
};
[[nodiscard]] RankPlace place_of_rank(const Parallelism& parallelism, std::int64_t rank);
[[nodiscard]] std::int64_t global_rank(const Parallelism& parallelism, const RankPlace& place);

}  // namespace shardsim::model
