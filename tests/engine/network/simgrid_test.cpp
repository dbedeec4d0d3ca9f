// The same flows in SimGrid (its LMM solver, network model CM02) and in FlowNetwork. SimGrid knows no flow with a rate
// of its own between hosts, so that each flow's bound is a link that only it uses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <simgrid/s4u.hpp>
#include <string>

#include "sim/engine/network/flow_network.hpp"
#include "tests/engine/network/random_network.hpp"

namespace shardsim::engine::network {
namespace {

namespace s4u = simgrid::s4u;

constexpr double kGigabyte = 1e9;
constexpr double kPicosecondsPerSecond = 1e12;
constexpr std::uint32_t kNetworks = 60;

struct TimedFlow {
  Flow flow;
  double start_seconds = 0.0;
  double undisturbed_seconds = 0.0;
};

struct Case {
  std::vector<double> capacities;
  std::vector<TimedFlow> flows;
};

/// Rates around 1 GB/s and seconds: SimGrid resolves 1e-9 s.
Case random_case(std::uint32_t seed) {
  RandomNetwork network = random_network(seed, 8, 16);
  std::mt19937 random(seed);
  Case result;
  for (const double capacity : network.capacities) result.capacities.push_back(std::min(capacity, 25.0) * kGigabyte);
  for (Flow& flow : network.flows) {
    for (Use& use : flow.uses) use.weight = kUnitWeight;
    flow.rate_bound = std::min(flow.rate_bound, 30.0) * kGigabyte;
    result.flows.push_back(
        {flow, 0.7 * static_cast<double>(below(random, 4)), 0.5 * static_cast<double>(1 + below(random, 4))});
  }
  return result;
}

std::vector<double> finishing_seconds(const Case& given) {
  FlowNetwork network(given.capacities);
  const auto picoseconds = [](double seconds) { return std::llround(seconds * kPicosecondsPerSecond); };
  std::vector<FlowId> ids(given.flows.size(), -1);
  std::vector<double> finished(given.flows.size(), -1.0);
  for (;;) {
    Picoseconds now = -1;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Picoseconds next = ids[i] < 0 ? picoseconds(given.flows[i].start_seconds) : network.finish(ids[i]);
      if (finished[i] < 0.0 && (now < 0 || next < now)) now = next;
    }
    if (now < 0) return finished;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const TimedFlow& timed = given.flows[i];
      if (ids[i] < 0 && picoseconds(timed.start_seconds) == now) {
        const RouteId route = network.add_route(timed.flow.uses);
        ids[i] = network.start(route, picoseconds(timed.undisturbed_seconds), timed.flow.rate_bound, now);
      } else if (ids[i] >= 0 && finished[i] < 0.0 && network.is_due(ids[i], now)) {
        network.remove(ids[i], now);
        finished[i] = static_cast<double>(now) / kPicosecondsPerSecond;
      }
    }
    network.settle(now);
  }
}

/// Adds the case to the platform; the flows write when they finish.
void add_to_platform(s4u::NetZone& zone, const std::string& name, const Case& given, std::vector<double>& finished) {
  finished.assign(given.flows.size(), -1.0);
  std::vector<s4u::Link*> links;
  const auto add_link = [&zone](const std::string& link, double capacity) {
    return zone.create_link(link, capacity)->set_latency(0.0)->seal();
  };
  for (std::size_t i = 0; i < given.capacities.size(); ++i) {
    links.push_back(add_link(name + "-link-" + std::to_string(i), given.capacities[i]));
  }
  for (std::size_t i = 0; i < given.flows.size(); ++i) {
    const TimedFlow& timed = given.flows[i];
    const std::string flow = name + "-flow-" + std::to_string(i);
    s4u::Host* from = zone.create_host(flow + "-from", 1e9)->seal();
    s4u::Host* to = zone.create_host(flow + "-to", 1e9)->seal();
    std::vector<s4u::LinkInRoute> route{s4u::LinkInRoute(add_link(flow + "-bound", timed.flow.rate_bound))};
    for (const Use& use : timed.flow.uses) route.emplace_back(links[static_cast<std::size_t>(use.link)]);
    zone.add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
    const auto bytes = static_cast<std::uint64_t>(timed.undisturbed_seconds * timed.flow.rate_bound);
    s4u::Actor::create(flow, from, [from, to, bytes, start = timed.start_seconds, &end = finished[i]] {
      s4u::this_actor::sleep_until(start);
      s4u::Comm::sendto(from, to, bytes);
      end = s4u::Engine::get_clock();
    });
  }
}

// One platform holds all networks: there is one SimGrid engine a process.
TEST(SimGrid, FlowsFinishAtTheSameTimes) {
  std::vector<std::string> words{"simgrid_test", "--log=root.thres:error", "--cfg=network/model:CM02",
                                 "--cfg=network/crosstraffic:no", "--cfg=contexts/stack-size:128"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  s4u::Engine engine(&count, arguments.data());
  s4u::NetZone* zone = s4u::create_full_zone("zone");
  std::vector<Case> cases;
  std::vector<std::vector<double>> theirs(kNetworks);
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    cases.push_back(random_case(seed));
    add_to_platform(*zone, std::to_string(seed), cases.back(), theirs[seed]);
  }
  zone->seal();
  engine.run();
  int slowed = 0;
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    const std::vector<double> ours = finishing_seconds(cases[seed]);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_NEAR(ours[i], theirs[seed][i], 1e-6 * theirs[seed][i]) << "network " << seed << ", flow " << i;
      const TimedFlow& timed = cases[seed].flows[i];
      slowed += theirs[seed][i] > timed.start_seconds + timed.undisturbed_seconds + 1e-3 ? 1 : 0;
    }
  }
  EXPECT_GT(slowed, 100);  // flows that share, not only flows alone
}

}  // namespace
}  // namespace shardsim::engine::network
