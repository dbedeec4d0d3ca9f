// The same flows in SimGrid (its LMM solver, network model CM02) and in FlowNetwork. SimGrid knows no flow with a rate
// of its own between hosts, so that each flow's bound is a link that only it uses.
#include <gtest/gtest.h>

#include <algorithm>
#include <simgrid/s4u.hpp>
#include <string>

#include "tests/engine/network/playback.hpp"

namespace shardsim::engine::network {
namespace {

namespace s4u = simgrid::s4u;

constexpr double kGigabyte = 1e9;
constexpr std::uint32_t kNetworks = 60;

/// Rates around 1 GB/s and seconds: SimGrid resolves 1e-9 s. Weights are 1, as SimGrid's routes have them.
TimedNetwork random_case(std::uint32_t seed) {
  TimedNetwork network = random_timed_network(seed, 8, 16);
  for (double& capacity : network.capacities) capacity = std::min(capacity, 25.0) * kGigabyte;
  for (TimedFlow& timed : network.flows) {
    for (Use& use : timed.flow.uses) use.weight = kUnitWeight;
    timed.flow.rate_bound *= kGigabyte;
    timed.start *= 1000;
    timed.undisturbed *= 1000;
  }
  return network;
}

double seconds(Picoseconds time) { return static_cast<double>(time) / 1e12; }

/// Adds the case to the platform; the flows write when they finish.
void add_to_platform(s4u::NetZone& zone, const std::string& name, const TimedNetwork& given,
                     std::vector<double>& finished) {
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
    const auto bytes = static_cast<std::uint64_t>(seconds(timed.undisturbed) * timed.flow.rate_bound);
    s4u::Actor::create(flow, from, [from, to, bytes, start = seconds(timed.start), &end = finished[i]] {
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
  std::vector<TimedNetwork> cases;
  std::vector<std::vector<double>> theirs(kNetworks);
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    cases.push_back(random_case(seed));
    add_to_platform(*zone, std::to_string(seed), cases.back(), theirs[seed]);
  }
  zone->seal();
  engine.run();
  int slowed = 0;
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    const std::vector<Picoseconds> ours = finishing_times(cases[seed]);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_NEAR(seconds(ours[i]), theirs[seed][i], 1e-6 * theirs[seed][i]) << "network " << seed << ", flow " << i;
      const TimedFlow& timed = cases[seed].flows[i];
      slowed += theirs[seed][i] > seconds(timed.start + timed.undisturbed) + 1e-3 ? 1 : 0;
    }
  }
  EXPECT_GT(slowed, 100);  // flows that share, not only flows alone
}

}  // namespace
}  // namespace shardsim::engine::network
