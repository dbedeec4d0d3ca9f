// Plays flows with given starting times to their ends, without an event queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/engine/network/flow_network.hpp"
#include "tests/engine/network/random_network.hpp"

namespace shardsim::engine::network {

struct TimedFlow {
  Flow flow;
  Picoseconds start = 0;
  Picoseconds undisturbed = 0;
};

struct TimedNetwork {
  std::vector<double> capacities;
  std::vector<TimedFlow> flows;
};

inline constexpr Picoseconds kMillisecond = 1'000'000'000;

/// Every flow has a bound; starts and lengths are from short lists around a millisecond.
inline TimedNetwork random_timed_network(std::uint32_t seed, std::size_t most_links = 12, std::size_t most_flows = 40) {
  RandomNetwork network = random_network(seed, most_links, most_flows);
  TimedNetwork timed{network.capacities, {}};
  std::mt19937 random(seed);
  for (Flow& flow : network.flows) {
    flow.rate_bound = std::min(flow.rate_bound, 30.0);
    const auto start = static_cast<Picoseconds>(below(random, 5));
    const auto length = static_cast<Picoseconds>(1 + below(random, 4));
    timed.flows.push_back({flow, start * kMillisecond / 3, length * kMillisecond / 2});
  }
  return timed;
}

enum class Order { as_given, backwards };

/// By flow: running or not, and its rate.
using Rates = std::vector<std::pair<bool, double>>;

/// Finishing times by flow. Flows that start at one time start in this order; `watch` sees the rates after each settle.
inline std::vector<Picoseconds> finishing_times(const TimedNetwork& given, Order order = Order::as_given,
                                                const std::function<void(const Rates&)>& watch = nullptr) {
  FlowNetwork network(given.capacities);
  const std::size_t count = given.flows.size();
  std::vector<FlowId> ids(count, -1);
  std::vector<Picoseconds> finished(count, -1);
  const auto runs = [&](std::size_t i) { return ids[i] >= 0 && finished[i] < 0; };
  for (;;) {
    Picoseconds now = -1;
    for (std::size_t i = 0; i < count; ++i) {
      const Picoseconds next = ids[i] < 0 ? given.flows[i].start : network.finish(ids[i]);
      if (finished[i] < 0 && (now < 0 || next < now)) now = next;
    }
    if (now < 0) return finished;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = order == Order::as_given ? k : count - 1 - k;
      const auto& [flow, start, undisturbed] = given.flows[i];
      if (runs(i) && network.is_due(ids[i], now)) {
        network.remove(ids[i], now);
        finished[i] = now;
      } else if (ids[i] < 0 && start == now) {
        ids[i] = network.start(network.add_route(flow.uses), undisturbed, flow.rate_bound, now);
      }
    }
    network.settle(now);
    if (!watch) continue;
    Rates rates;
    for (std::size_t i = 0; i < count; ++i) rates.emplace_back(runs(i), runs(i) ? network.rate(ids[i]) : 0.0);
    watch(rates);
  }
}

}  // namespace shardsim::engine::network
