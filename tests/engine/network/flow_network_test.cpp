#include "sim/engine/network/flow_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/engine/network/random_network.hpp"

namespace shardsim::engine::network {
namespace {

constexpr Picoseconds kNanosecond = 1000;

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

/// Runs flows of a random network, each started at a time from a short list, until all are finished.
class Playback {
 public:
  explicit Playback(std::uint32_t seed) : given_(random_network(seed, 12, 40)), network_(given_.capacities) {
    std::mt19937 random(seed);
    for (Flow& flow : given_.flows) {
      if (std::isinf(flow.rate_bound)) flow.rate_bound = 1e6;
      routes_.push_back(network_.add_route(flow.uses));
      starts_.push_back(static_cast<Picoseconds>(below(random, 5)) * 700 * kNanosecond);
      work_.push_back(static_cast<Picoseconds>(1 + below(random, 4)) * 500 * kNanosecond);
    }
  }

  /// Finishing times by flow. Flows that start at one time are started in order, or backwards.
  std::vector<Picoseconds> finishing_times(bool backwards, bool check_rates) {
    std::vector<Picoseconds> finished(starts_.size(), -1);
    std::vector<FlowId> ids(starts_.size(), -1);
    for (Picoseconds now = next_time(ids, finished); now >= 0; now = next_time(ids, finished)) {
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] < 0 || finished[i] >= 0 || !network_.is_due(ids[i], now)) continue;
        network_.remove(ids[i], now);
        finished[i] = now;
      }
      for (std::size_t k = 0; k < ids.size(); ++k) {
        const std::size_t i = backwards ? ids.size() - 1 - k : k;
        if (starts_[i] == now) ids[i] = network_.start(routes_[i], work_[i], given_.flows[i].rate_bound, now);
      }
      network_.settle(now);
      if (check_rates) expect_max_min_rates(ids, finished);
    }
    return finished;
  }

 private:
  /// -1: all is done.
  Picoseconds next_time(const std::vector<FlowId>& ids, const std::vector<Picoseconds>& finished) const {
    Picoseconds next = -1;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (finished[i] >= 0) continue;
      const Picoseconds time = ids[i] < 0 ? starts_[i] : network_.finish(ids[i]);
      if (next < 0 || time < next) next = time;
    }
    return next;
  }

  void expect_max_min_rates(const std::vector<FlowId>& ids, const std::vector<Picoseconds>& finished) const {
    std::vector<Flow> running;
    std::vector<double> rates;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < 0 || finished[i] >= 0) continue;
      running.push_back(given_.flows[i]);
      rates.push_back(network_.rate(ids[i]));
    }
    EXPECT_EQ(rates, max_min_rates(given_.capacities, running));
  }

  RandomNetwork given_;
  FlowNetwork network_;
  std::vector<RouteId> routes_;
  std::vector<Picoseconds> starts_;
  std::vector<Picoseconds> work_;
};

TEST(FlowNetwork, RatesAreThoseOfAllFlowsSolvedAtOnce) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    (void)Playback(seed).finishing_times(false, true);
    if (HasFailure()) return;
  }
}

TEST(FlowNetwork, OrderAtOneTimeDoesNotMatter) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    ASSERT_EQ(Playback(seed).finishing_times(false, false), Playback(seed).finishing_times(true, false))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace shardsim::engine::network
