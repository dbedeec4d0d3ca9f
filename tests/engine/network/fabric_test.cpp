#include "sim/engine/network/fabric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/cost/collective.hpp"
#include "sim/engine/network/flow_network.hpp"

namespace shardsim::engine::network {
namespace {

using hardware::Cluster;
using hardware::Collective;
using model::OperatorKind;

constexpr Bytes kGigabyte{1'000'000'000};
constexpr Bytes kKilobyte{1000};

/// 100 GB/s at 80 % inside a node, NICs of 10 GB/s at 50 %; latencies 10/1 us and 20/5 us.
Cluster cluster(std::int64_t gpus_per_node, std::int64_t nics) {
  Cluster cluster;
  cluster.gpus_per_node = gpus_per_node;
  cluster.intra_node = {BytesPerSecond{100e9}, 0.8, Seconds{10e-6}, Seconds{1e-6}};
  cluster.nics_per_node = nics;
  cluster.inter_node = {BytesPerSecond{10e9}, 0.5, Seconds{20e-6}, Seconds{5e-6}};
  return cluster;
}

/// GPUs `stride` apart.
std::vector<std::int64_t> group(std::int64_t first, std::int64_t size, std::int64_t stride) {
  std::vector<std::int64_t> gpus;
  for (std::int64_t i = 0; i < size; ++i) gpus.push_back(first + i * stride);
  return gpus;
}

cost::GroupPath path_of(const Cluster& cluster, const std::vector<std::int64_t>& gpus) {
  std::vector<std::int64_t> nodes;
  for (const std::int64_t gpu : gpus) nodes.push_back(gpu / cluster.gpus_per_node);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  const auto size = static_cast<std::int64_t>(gpus.size());
  const std::int64_t count = std::ssize(nodes);
  return cost::group_path(cluster, {size, std::max<std::int64_t>(1, size / count), count});
}

Picoseconds picoseconds(Seconds time) { return std::llround(time.value() * 1e12); }

constexpr OperatorKind operator_of(Collective kind) {
  switch (kind) {
    case Collective::all_reduce:
      return OperatorKind::all_reduce;
    case Collective::all_gather:
      return OperatorKind::all_gather;
    case Collective::reduce_scatter:
      return OperatorKind::reduce_scatter;
    default:
      return OperatorKind::all_to_all;
  }
}

/// Flows over one fabric, all started at time 0.
class Start {
 public:
  Start(const Cluster& cluster, std::int64_t gpus) : fabric_(cluster, gpus), network_(fabric_.capacities()) {}

  [[nodiscard]] const Fabric& fabric() const { return fabric_; }

  FlowId add(const Traffic& traffic, Bytes bytes, Seconds time) {
    const RouteId route = network_.add_route(traffic.uses);
    return network_.start(route, picoseconds(time), traffic.rate_bound(bytes, time), 0);
  }
  /// Finishing time, if nothing else ends before.
  Picoseconds finish(FlowId flow) {
    network_.settle(0);
    return network_.finish(flow);
  }

 private:
  Fabric fabric_;
  FlowNetwork network_;
};

// 32 GPUs: 32 ports of 80 GB/s, then 2 nodes of 8 NICs of 5 GB/s; each link in both directions.
TEST(Fabric, Links) {
  const std::vector<double> capacities = Fabric(cluster(16, 8), 32).capacities();
  ASSERT_EQ(capacities.size(), 2U * (32 + 16));
  EXPECT_DOUBLE_EQ(capacities[0], 80e9);
  EXPECT_DOUBLE_EQ(capacities[63], 80e9);
  EXPECT_DOUBLE_EQ(capacities[64], 5e9);
  EXPECT_EQ(Fabric(cluster(16, 8), 16).capacities().size(), 32U);  // one node has no network
  EXPECT_EQ(Fabric(cluster(1, 1), 4).capacities().size(), 8U);     // a GPU alone has no ports
  EXPECT_TRUE(Fabric(cluster(8, 8), 1).capacities().empty());
}

// 8 GPUs: 3 NICs are one link of 15 GB/s; 32 NICs are 8 links of 4 NICs.
TEST(Fabric, CardsThatDoNotDivideAreOneLink) {
  EXPECT_DOUBLE_EQ(Fabric(cluster(8, 3), 16).capacities().back(), 15e9);
  EXPECT_EQ(Fabric(cluster(8, 3), 16).capacities().size(), 2U * (16 + 2));
  EXPECT_DOUBLE_EQ(Fabric(cluster(8, 32), 16).capacities().back(), 20e9);
  EXPECT_EQ(Fabric(cluster(8, 32), 16).capacities().size(), 2U * (16 + 16));
}

// Leaves of 2 nodes of 40 GB/s, 4:1: uplinks of 20 GB/s; 3 nodes need two leaves.
TEST(Fabric, Uplinks) {
  Cluster oversubscribed = cluster(8, 8);
  oversubscribed.nodes_per_leaf = 2;
  EXPECT_EQ(Fabric(oversubscribed, 24).capacities().size(), 2U * (24 + 24));  // 1:1 is no bottleneck
  oversubscribed.fabric_oversubscription = 4.0;
  EXPECT_EQ(Fabric(oversubscribed, 24).capacities().size(), 2U * (24 + 24 + 2));
  EXPECT_DOUBLE_EQ(Fabric(oversubscribed, 24).capacities().back(), 20e9);
}

// Two nodes of 8, NIC g serves GPU g; GPUs 0, 2, 4, 6 of each: 4 channels, one a NIC, 3 of them through each port.
TEST(Fabric, RingOverNodes) {
  const Traffic ring = Fabric(cluster(8, 8), 16).collective(Collective::all_reduce, group(0, 8, 2));
  ASSERT_EQ(ring.uses.size(), 2U * (8 + 8));
  EXPECT_EQ(ring.uses[0].link, 0);
  EXPECT_EQ(ring.uses[0].weight, 3 * kUnitWeight);
  EXPECT_EQ(ring.uses[16].link, 32);
  EXPECT_EQ(ring.uses[16].weight, kUnitWeight);
  EXPECT_DOUBLE_EQ(ring.bytes_per_byte, 2.0 * 7.0 / 8.0 / 4.0);
  EXPECT_DOUBLE_EQ(ring.ceiling, 5e9);
  EXPECT_DOUBLE_EQ(ring.rate_bound(kGigabyte, Seconds{0.4375}), 1e9);  // 0.4375 GB a channel
  EXPECT_DOUBLE_EQ(ring.rate_bound(kGigabyte, Seconds{1e-3}), 5e9);
}

// Two GPUs on one NIC: two channels through it.
TEST(Fabric, ChannelsOfOneCardAddUp) {
  const Traffic ring = Fabric(cluster(16, 8), 32).collective(Collective::all_gather, group(0, 32, 1));
  EXPECT_EQ(ring.uses.back().weight, 2 * kUnitWeight);
  EXPECT_DOUBLE_EQ(ring.ceiling, 2.5e9);
}

// Leaves of 2 nodes; a ring over nodes 0, 1, 2, 3 leaves each leaf once, with all its 8 channels.
TEST(Fabric, RingOverLeaves) {
  Cluster oversubscribed = cluster(8, 8);
  oversubscribed.nodes_per_leaf = 2;
  oversubscribed.fabric_oversubscription = 2.0;
  const Traffic ring = Fabric(oversubscribed, 32).collective(Collective::all_gather, group(0, 32, 1));
  ASSERT_EQ(ring.uses.size(), 2U * (32 + 32 + 2));
  for (std::size_t i = 128; i < 132; ++i) EXPECT_EQ(ring.uses[i].weight, 8 * kUnitWeight);
}

// 4 nodes of 2 ranks: a rank sends 6/8 to other nodes and 1/8 to its neighbour, 1/6 of the former; a leaf of 2 nodes
// has 4 ranks that send 4/8 each to the other leaf, 4·4/6 of the former.
TEST(Fabric, AllToAll) {
  Cluster oversubscribed = cluster(8, 8);
  oversubscribed.nodes_per_leaf = 2;
  oversubscribed.fabric_oversubscription = 2.0;
  const Traffic traffic = Fabric(oversubscribed, 32).collective(Collective::all_to_all, group(0, 8, 4));
  ASSERT_EQ(traffic.uses.size(), 2U * (8 + 8 + 2));
  EXPECT_NEAR(ratio_of(traffic.uses[0].weight), 1.0 / 6.0, 1e-11);
  EXPECT_EQ(traffic.uses[16].weight, kUnitWeight);
  EXPECT_NEAR(ratio_of(traffic.uses[32].weight), 16.0 / 6.0, 1e-11);
  EXPECT_DOUBLE_EQ(traffic.bytes_per_byte, 0.75);
}

TEST(Fabric, SendsUseTheLinksOfTheirEnds) {
  const Fabric fabric(cluster(8, 8), 16);
  const Traffic inside = fabric.sends({{1, 2}});
  ASSERT_EQ(inside.uses.size(), 2U);
  EXPECT_EQ(inside.uses[0].link, 2);  // out of port 1
  EXPECT_EQ(inside.uses[1].link, 5);  // into port 2
  const Traffic across = fabric.sends({{1, 9}});
  ASSERT_EQ(across.uses.size(), 2U);
  EXPECT_EQ(across.uses[0].link, 32 + 2);
  EXPECT_EQ(across.uses[1].link, 32 + 19);
}

struct Machine {
  std::int64_t gpus_per_node;
  std::int64_t nics;
};

constexpr Machine kMachines[] = {{1, 1}, {2, 1}, {4, 4}, {8, 8}, {8, 4}, {8, 1}, {16, 8}, {8, 3}, {8, 32}, {6, 4}};

/// Groups of every stride and size that divide a machine of four nodes, and all their siblings.
template <class Check>
void for_each_grouping(const Machine& machine, const Check& check) {
  const std::int64_t gpus = 4 * machine.gpus_per_node;
  int checked = 0;
  for (std::int64_t stride = 1; stride < gpus; ++stride) {
    for (std::int64_t size = 2; stride * size <= gpus; ++size) {
      if (gpus % (stride * size) != 0) continue;
      // Ranks by node, nodes without any left out.
      const auto counts = [&](const std::vector<std::int64_t>& members) {
        std::vector<std::int64_t> ranks(4, 0);
        for (const std::int64_t gpu : members) ++ranks[static_cast<std::size_t>(gpu / machine.gpus_per_node)];
        ranks.erase(std::remove(ranks.begin(), ranks.end(), 0), ranks.end());
        return ranks;
      };
      std::vector<std::vector<std::int64_t>> siblings;
      for (std::int64_t first = 0; first < gpus; first += stride * size) {
        for (std::int64_t i = 0; i < stride; ++i) siblings.push_back(group(first + i, size, stride));
      }
      // All placed alike, and evenly: what GroupPlacement can say.
      const auto first = counts(siblings[0]);
      const bool regular =
          std::adjacent_find(first.begin(), first.end(), std::not_equal_to<>()) == first.end() &&
          std::all_of(siblings.begin(), siblings.end(), [&](const auto& members) { return counts(members) == first; });
      if (!regular) continue;
      check(siblings);
      ++checked;
    }
  }
  EXPECT_GE(checked, 3);
}

constexpr Collective kKinds[] = {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                                 Collective::all_to_all};

TEST(Fabric, AloneACollectiveTakesItsCost) {
  for (const Machine& machine : kMachines) {
    const Cluster here = cluster(machine.gpus_per_node, machine.nics);
    for_each_grouping(machine, [&](const std::vector<std::vector<std::int64_t>>& siblings) {
      const cost::GroupPath path = path_of(here, siblings[0]);
      for (const Collective kind : kKinds) {
        for (const Bytes bytes : {kKilobyte, kGigabyte}) {
          const Seconds time = cost::collective_time(path, operator_of(kind), bytes);
          Start start(here, 4 * machine.gpus_per_node);
          const FlowId flow = start.add(start.fabric().collective(kind, siblings[0]), bytes, time);
          ASSERT_EQ(start.finish(flow), picoseconds(time)) << machine.gpus_per_node << " " << machine.nics;
        }
      }
    });
  }
}

// What group_path() counts as shared is shared: all siblings at once disturb each other no further.
TEST(Fabric, SiblingsAtOnceTakeWhatOneTakes) {
  for (const Machine& machine : kMachines) {
    const Cluster here = cluster(machine.gpus_per_node, machine.nics);
    for_each_grouping(machine, [&](const std::vector<std::vector<std::int64_t>>& siblings) {
      const cost::GroupPath path = path_of(here, siblings[0]);
      for (const Collective kind : kKinds) {
        const Seconds time = cost::collective_time(path, operator_of(kind), kGigabyte);
        Start start(here, 4 * machine.gpus_per_node);
        std::vector<FlowId> flows;
        for (const auto& gpus : siblings) {
          flows.push_back(start.add(start.fabric().collective(kind, gpus), kGigabyte, time));
        }
        for (const FlowId flow : flows) {
          ASSERT_EQ(start.finish(flow), picoseconds(time))
              << machine.gpus_per_node << " GPUs, " << machine.nics << " NICs, groups of " << siblings[0].size()
              << " over " << path.placement.nodes << " nodes, kind " << static_cast<int>(kind);
        }
      }
    });
  }
}

// GPU 0 sends 1 GB to GPU 8 at 5 GB/s (200 ms) while GPUs 0 and 8 gather 2 GB, 1 GB each way over the same NICs in the
// same time: both take twice as long. GPUs 1 and 9 use other NICs.
TEST(Fabric, ASendSlowsAGatherOnItsCard) {
  Start start(cluster(8, 8), 16);
  const Seconds time{0.2};
  const FlowId send = start.add(start.fabric().sends({{0, 8}}), kGigabyte, time);
  const FlowId gather = start.add(start.fabric().collective(Collective::all_gather, {0, 8}), 2 * kGigabyte, time);
  const FlowId other = start.add(start.fabric().collective(Collective::all_gather, {1, 9}), 2 * kGigabyte, time);
  EXPECT_EQ(start.finish(send), 2 * picoseconds(time));
  EXPECT_EQ(start.finish(gather), 2 * picoseconds(time));
  EXPECT_EQ(start.finish(other), picoseconds(time));
}

TEST(Fabric, DirectionsAreApart) {
  Start start(cluster(8, 8), 16);
  const Seconds time{0.2};
  const FlowId there = start.add(start.fabric().sends({{0, 8}}), kGigabyte, time);
  const FlowId back = start.add(start.fabric().sends({{8, 0}}), kGigabyte, time);
  EXPECT_EQ(start.finish(there), picoseconds(time));
  EXPECT_EQ(start.finish(back), picoseconds(time));
}

// 4 nodes, leaves of 2. 16 sends from leaf to leaf ask for 80 GB/s; 2:1 uplinks have 40: half as fast. Within a leaf
// the uplink is not used.
TEST(Fabric, OversubscribedUplinksAreShared) {
  Cluster here = cluster(8, 8);
  here.nodes_per_leaf = 2;
  here.fabric_oversubscription = 2.0;
  Start start(here, 32);
  const Seconds time{0.2};
  std::vector<FlowId> flows;
  for (std::int64_t gpu = 0; gpu < 16; ++gpu) {
    flows.push_back(start.add(start.fabric().sends({{gpu, gpu + 16}}), kGigabyte, time));
  }
  for (const FlowId flow : flows) EXPECT_EQ(start.finish(flow), 2 * picoseconds(time));
  Start within(here, 32);
  const FlowId flow = within.add(within.fabric().sends({{0, 8}}), kGigabyte, time);
  EXPECT_EQ(within.finish(flow), picoseconds(time));
}

// 32 ranks: each sends 24/32 of 1 GB to other nodes; a leaf's 16 ranks send 16/32 GB each, 8 GB, over an uplink of
// 2·40/3 GB/s: 0.3 s, though the cards would need only half of that.
TEST(Fabric, UplinksSlowAnAllToAllThatRunsAlone) {
  Cluster here = cluster(8, 8);
  here.nodes_per_leaf = 2;
  here.fabric_oversubscription = 3.0;
  Start start(here, 32);
  const auto gpus = group(0, 32, 1);
  const Seconds time = cost::collective_time(path_of(here, gpus), OperatorKind::all_to_all, kGigabyte);
  const FlowId flow = start.add(start.fabric().collective(Collective::all_to_all, gpus), kGigabyte, time);
  EXPECT_NEAR(static_cast<double>(start.finish(flow)), 0.3e12, 100.0);
}

// The ranks of a tensor group that send together are one flow.
TEST(Fabric, MessagesSideBySideAreOneFlow) {
  Cluster here = cluster(8, 4);
  here.nodes_per_leaf = 2;
  here.fabric_oversubscription = 3.0;
  const Seconds time{0.2};
  Start apart(here, 32);
  Start together(here, 32);
  std::vector<Send> messages;
  std::vector<FlowId> flows;
  for (std::int64_t gpu = 0; gpu < 8; ++gpu) {
    messages.push_back({gpu, gpu + 24});
    flows.push_back(apart.add(apart.fabric().sends({messages.back()}), kGigabyte, time));
  }
  const FlowId one = together.add(together.fabric().sends(messages), kGigabyte, time);
  for (const std::int64_t disturbing : {std::int64_t{8}, std::int64_t{9}}) {
    apart.add(apart.fabric().sends({{disturbing, disturbing + 8}}), kGigabyte, time);
    together.add(together.fabric().sends({{disturbing, disturbing + 8}}), kGigabyte, time);
  }
  EXPECT_GT(together.finish(one), picoseconds(time));
  for (const FlowId flow : flows) EXPECT_EQ(apart.finish(flow), together.finish(one));
}

}  // namespace
}  // namespace shardsim::engine::network
