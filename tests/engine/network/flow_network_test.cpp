#include "sim/engine/network/flow_network.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/engine/network/playback.hpp"
#include "tests/engine/network/siblings.hpp"

namespace shardsim::engine::network {
namespace {

constexpr Picoseconds kNanosecond = 1000;
constexpr std::uint32_t kNetworks = 2000;

std::map<FlowId, Picoseconds> as_map(const std::vector<Finish>& finishes) {
  std::map<FlowId, Picoseconds> times;
  for (const Finish& finish : finishes) times[finish.flow] = finish.time;
  return times;
}

using Times = std::map<FlowId, Picoseconds>;

TEST(FlowNetwork, AloneItTakesItsTime) {
  FlowNetwork network({10.0});
  const RouteId route = network.add_route({{0}});
  const FlowId flow = network.start(route, 123457, 10.0, 1000);
  EXPECT_EQ(as_map(network.settle(1000)), (Times{{flow, 124457}}));
  EXPECT_EQ(network.rate(flow), 10.0);
  EXPECT_TRUE(network.settle(2000).empty());
  EXPECT_FALSE(network.is_due(flow, 124456));
  EXPECT_TRUE(network.is_due(flow, 124457));
  network.remove(flow, 124457);
  EXPECT_FALSE(network.is_due(flow, 124457));
  EXPECT_EQ(network.running(), 0U);
}

// Capacity 10, both flows would use 10 for 100 ns. At 40 ns the second comes: half speed each. The first has 60 ns of
// work left: ends at 40 + 120 = 160 ns. Then the second has done 60 of its 100 ns and ends at 160 + 40 = 200 ns.
TEST(FlowNetwork, TwoShareALink) {
  FlowNetwork network({10.0});
  const RouteId route = network.add_route({{0}});
  const FlowId first = network.start(route, 100 * kNanosecond, 10.0, 0);
  network.settle(0);
  const FlowId second = network.start(route, 100 * kNanosecond, 10.0, 40 * kNanosecond);
  EXPECT_EQ(as_map(network.settle(40 * kNanosecond)), (Times{{first, 160 * kNanosecond}, {second, 240 * kNanosecond}}));
  EXPECT_FALSE(network.is_due(first, 100 * kNanosecond));
  network.remove(first, 160 * kNanosecond);
  EXPECT_EQ(as_map(network.settle(160 * kNanosecond)), (Times{{second, 200 * kNanosecond}}));
}

// Bounds 4 and 6 fill 10 exactly: nobody's time changes.
TEST(FlowNetwork, AFullLinkDisturbsNobody) {
  FlowNetwork network({10.0});
  const RouteId route = network.add_route({{0}});
  network.start(route, 100, 4.0, 0);
  network.settle(0);
  const FlowId second = network.start(route, 100, 6.0, 7);
  EXPECT_EQ(as_map(network.settle(7)), (Times{{second, 107}}));
}

TEST(FlowNetwork, GivenUpBeforeItRan) {
  FlowNetwork network({10.0});
  const RouteId route = network.add_route({{0}});
  const FlowId first = network.start(route, 100, 10.0, 0);
  const FlowId second = network.start(route, 100, 10.0, 0);
  network.remove(first, 0);
  EXPECT_EQ(as_map(network.settle(0)), (Times{{second, 100}}));
}

TEST(FlowNetwork, RatesAreThoseOfAllFlowsSolvedAtOnce) {
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    const TimedNetwork timed = random_timed_network(seed);
    (void)finishing_times(timed, Order::as_given, [&](const Rates& rates) {
      std::vector<Flow> running;
      std::vector<double> expected;
      for (std::size_t i = 0; i < rates.size(); ++i) {
        if (!rates[i].first) continue;
        running.push_back(timed.flows[i].flow);
        expected.push_back(rates[i].second);
      }
      EXPECT_EQ(expected, max_min_rates(timed.capacities, running)) << "seed " << seed;
    });
    if (HasFailure()) return;
  }
}

TEST(FlowNetwork, OrderAtOneTimeDoesNotMatter) {
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    const TimedNetwork timed = random_timed_network(seed);
    ASSERT_EQ(finishing_times(timed), finishing_times(timed, Order::backwards)) << "seed " << seed;
  }
}

// Siblings share link 0 and have a copy of the other links each: one that weighs as many there ends when each does.
TEST(FlowNetwork, OneFlowStandsForItsSiblings) {
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    const TimedNetwork one = random_timed_network(seed, 5, 10);
    const std::size_t siblings = 2 + seed % 7;
    const std::vector<Picoseconds> collapsed = finishing_times(collapse(one, siblings));
    const std::vector<Picoseconds> full = finishing_times(repeat(one, siblings));
    for (std::size_t i = 0; i < full.size(); ++i) {
      ASSERT_EQ(full[i], collapsed[i % collapsed.size()]) << "seed " << seed << ", flow " << i;
    }
  }
}

}  // namespace
}  // namespace shardsim::engine::network
