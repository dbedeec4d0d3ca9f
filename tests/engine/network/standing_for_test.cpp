// One data-parallel replica instead of all: its messages stand for those of the others on the links that they share.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/engine/network/fabric.hpp"
#include "sim/engine/network/flow_network.hpp"

namespace shardsim::engine::network {
namespace {

constexpr std::int64_t kGpusPerNode = 8;
constexpr std::int64_t kNodes = 8;
constexpr std::int64_t kStageGpus = kGpusPerNode * kNodes / 2;

/// Leaves of two nodes.
hardware::Cluster cluster(std::int64_t nics, double oversubscription) {
  hardware::Cluster cluster;
  cluster.gpus_per_node = kGpusPerNode;
  cluster.intra_node = {BytesPerSecond{100e9}, 0.8, Seconds{10e-6}, Seconds{1e-6}};
  cluster.nics_per_node = nics;
  cluster.inter_node = {BytesPerSecond{10e9}, 0.7, Seconds{20e-6}, Seconds{5e-6}};
  cluster.nodes_per_leaf = 2;
  cluster.fabric_oversubscription = oversubscription;
  return cluster;
}

struct Case {
  std::int64_t tensor;
  std::int64_t nics;
  double oversubscription;
};

constexpr Bytes kMessage{100'000'000};
constexpr Picoseconds kTime = 20'000'000'000;
constexpr Seconds kSeconds{0.02};

/// Two stages of 4 nodes each. All replicas send from the first to the second while the first reduces gradients.
/// Finishing times of the reductions, then of the messages.
std::vector<Picoseconds> finishing_times(const Case& given, bool collapsed) {
  const Fabric fabric(cluster(given.nics, given.oversubscription), kGpusPerNode * kNodes);
  FlowNetwork network(fabric.capacities());
  const auto start = [&network](const Traffic& traffic) {
    return network.start(network.add_route(traffic.uses), kTime, traffic.rate_bound(kMessage, kSeconds), 0);
  };
  const std::int64_t replicas = kStageGpus / given.tensor;
  std::vector<Traffic> sends;
  for (std::int64_t replica = 0; replica < replicas; ++replica) {
    std::vector<Send> messages;
    for (std::int64_t rank = 0; rank < given.tensor; ++rank) {
      const std::int64_t gpu = replica * given.tensor + rank;
      messages.push_back({gpu, gpu + kStageGpus});
    }
    sends.push_back(fabric.sends(messages));
  }
  std::vector<FlowId> flows;
  for (std::int64_t rank = 0; rank < given.tensor; ++rank) {
    std::vector<std::int64_t> group;
    for (std::int64_t replica = 0; replica < replicas; ++replica) group.push_back(replica * given.tensor + rank);
    flows.push_back(start(fabric.collective(hardware::Collective::reduce_scatter, group)));
  }
  if (collapsed) {
    flows.push_back(start(standing_for(sends[0], {sends.begin() + 1, sends.end()})));
  } else {
    for (const Traffic& send : sends) flows.push_back(start(send));
  }
  network.settle(0);
  std::vector<Picoseconds> times;
  for (const FlowId flow : flows) times.push_back(network.finish(flow));
  return times;
}

TEST(StandingFor, OneReplicaIsAsFastAsEach) {
  int slowed = 0;
  for (const Case& given :
       {Case{1, 8, 2.0}, {1, 4, 3.0}, {2, 8, 4.0}, {4, 1, 1.0}, {4, 2, 7.0}, {8, 8, 3.0}, {2, 1, 1.5}}) {
    const std::vector<Picoseconds> collapsed = finishing_times(given, true);
    const std::vector<Picoseconds> full = finishing_times(given, false);
    slowed += collapsed.back() > kTime ? 1 : 0;
    for (std::size_t i = 0; i < full.size(); ++i) {
      ASSERT_EQ(full[i], collapsed[std::min(i, collapsed.size() - 1)]) << given.tensor << " " << given.nics;
    }
  }
  EXPECT_GE(slowed, 4);
}

}  // namespace
}  // namespace shardsim::engine::network
