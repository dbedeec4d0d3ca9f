// Flows through the network of an engine: undisturbed ones, shared ones, and large collectives that messages disturb.
#include <benchmark/benchmark.h>

#include "sim/engine/network/fabric.hpp"
#include "sim/engine/network/flow_network.hpp"

namespace shardsim::engine::network {
namespace {

constexpr std::int64_t kGpusPerNode = 8;
constexpr double kCard = 20e9;
constexpr Picoseconds kTime = 1'000'000;

hardware::Cluster cluster() {
  hardware::Cluster cluster;
  cluster.gpus_per_node = kGpusPerNode;
  cluster.intra_node = {BytesPerSecond{300e9}, 0.75, Seconds{10e-6}, Seconds{2e-6}};
  cluster.nics_per_node = kGpusPerNode;
  cluster.inter_node = {BytesPerSecond{25e9}, 0.8, Seconds{15e-6}, Seconds{8e-6}};
  return cluster;
}

/// Messages of neighbouring nodes, one after another, each at a share of its cards.
void sends(benchmark::State& state, double share) {
  const std::int64_t gpus = state.range(0);
  const Fabric fabric(cluster(), gpus);
  FlowNetwork network(fabric.capacities());
  std::vector<RouteId> routes;
  for (std::int64_t gpu = 0; gpu + kGpusPerNode < gpus; ++gpu) {
    routes.push_back(network.add_route(fabric.sends({{gpu, gpu + kGpusPerNode}}).uses));
  }
  Picoseconds now = 0;
  std::vector<FlowId> flows;
  for (auto _ : state) {
    for (const RouteId route : routes) {
      const FlowId first = network.start(route, kTime, share * kCard, now);
      network.settle(now);
      const FlowId second = network.start(route, kTime, share * kCard, now);
      network.settle(now);
      network.remove(first, now);
      network.settle(now);
      network.remove(second, now);
      network.settle(now);
      ++now;
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(2 * routes.size()));
}
BENCHMARK_CAPTURE(sends, undisturbed, 0.5)->Arg(1024)->Arg(102400);
BENCHMARK_CAPTURE(sends, two_share, 1.0)->Arg(1024)->Arg(102400);

/// Gradient reductions of all tensor ranks over all nodes; then messages over the same cards come and go.
void messages_beside_collectives(benchmark::State& state) {
  const std::int64_t gpus = state.range(0);
  const Fabric fabric(cluster(), gpus);
  FlowNetwork network(fabric.capacities());
  for (std::int64_t rank = 0; rank < kGpusPerNode; ++rank) {
    std::vector<std::int64_t> group;
    for (std::int64_t gpu = rank; gpu < gpus; gpu += kGpusPerNode) group.push_back(gpu);
    const Traffic ring = fabric.collective(hardware::Collective::all_reduce, group);
    network.start(network.add_route(ring.uses), kTime * kTime, kCard, 0);
  }
  const RouteId route = network.add_route(fabric.sends({{0, kGpusPerNode}}).uses);
  network.settle(0);
  Picoseconds now = 0;
  for (auto _ : state) {
    const FlowId message = network.start(route, kTime, kCard, ++now);
    benchmark::DoNotOptimize(network.settle(now).size());
    network.remove(message, ++now);
    benchmark::DoNotOptimize(network.settle(now).size());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(messages_beside_collectives)->Arg(1024)->Arg(102400);

/// As many messages as GPUs at once over an oversubscribed fabric: one component.
void solve_everything(benchmark::State& state) {
  const std::int64_t gpus = state.range(0);
  hardware::Cluster oversubscribed = cluster();
  oversubscribed.nodes_per_leaf = 16;
  oversubscribed.fabric_oversubscription = 2.0;
  const Fabric fabric(oversubscribed, gpus);
  std::vector<Flow> flows;
  for (std::int64_t gpu = 0; gpu < gpus; ++gpu) {
    flows.push_back({fabric.sends({{gpu, (gpu * 7 + 3 * kGpusPerNode + 1) % gpus}}).uses, kCard});
  }
  for (auto _ : state) benchmark::DoNotOptimize(max_min_rates(fabric.capacities(), flows));
  state.SetItemsProcessed(state.iterations() * gpus);
}
BENCHMARK(solve_everything)->Arg(1024)->Arg(102400)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace shardsim::engine::network
