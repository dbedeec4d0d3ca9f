// What more bandwidth does. In a network of several links it may well delay a flow, and even the last one, because
// another flow then takes more of a link that both use: max-min fair rates do not all rise with a capacity, nor when a
// flow ends. On one link they do (with a bound for each flow, which also stands for links that only this flow uses):
// the flows that run at any time with more bandwidth are some of those with less, each has less left, and a rate
// min(bound, level) only rises with the capacity and with fewer flows. So no flow ends later, whatever the starts.
#include <gtest/gtest.h>

#include "tests/engine/network/playback.hpp"

namespace shardsim::engine::network {
namespace {

constexpr std::uint32_t kNetworks = 3000;
/// Each change of a rate rounds to a picosecond.
constexpr Picoseconds kRounding = 2;

TEST(Bandwidth, MoreOfOneLinkDelaysNoFlow) {
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    TimedNetwork network = random_timed_network(seed, 1, 30);
    std::vector<Picoseconds> before = finishing_times(network);
    for (const double factor : {1.001, 1.1, 2.0, 10.0}) {
      network.capacities[0] *= factor;
      const std::vector<Picoseconds> after = finishing_times(network);
      for (std::size_t i = 0; i < after.size(); ++i) {
        ASSERT_LE(after[i], before[i] + kRounding) << "seed " << seed << ", flow " << i;
      }
      before = after;
    }
  }
}

TEST(Bandwidth, OneFlowLessOnOneLinkDelaysNoOther) {
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    TimedNetwork network = random_timed_network(seed, 1, 30);
    const std::vector<Picoseconds> before = finishing_times(network);
    network.flows.pop_back();
    const std::vector<Picoseconds> after = finishing_times(network);
    for (std::size_t i = 0; i < after.size(); ++i) {
      ASSERT_LE(after[i], before[i] + kRounding) << "seed " << seed << ", flow " << i;
    }
  }
}

// Any network: twice the bandwidth everywhere, and twice the bounds, halves the time of flows that start together.
TEST(Bandwidth, TwiceEverywhereIsTwiceAsFast) {
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    TimedNetwork network = random_timed_network(seed);
    for (TimedFlow& timed : network.flows) timed.start = 0;
    const std::vector<Picoseconds> before = finishing_times(network);
    for (double& capacity : network.capacities) capacity *= 2.0;
    for (TimedFlow& timed : network.flows) {
      timed.flow.rate_bound *= 2.0;
      timed.undisturbed /= 2;
    }
    const std::vector<Picoseconds> after = finishing_times(network);
    for (std::size_t i = 0; i < after.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(after[i]), static_cast<double>(before[i]) / 2.0, 50.0) << "seed " << seed;
    }
  }
}

// Any network: a link that all its flows together cannot fill may be as fast as it likes.
TEST(Bandwidth, MoreOfAnIdleLinkChangesNothing) {
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    TimedNetwork network = random_timed_network(seed);
    double most = 0.0;
    for (const TimedFlow& timed : network.flows) {
      for (const Use& use : timed.flow.uses) {
        if (use.link == 0) most += ratio_of(use.weight) * timed.flow.rate_bound;
      }
    }
    network.capacities[0] = most + 1.0;
    const std::vector<Picoseconds> before = finishing_times(network);
    network.capacities[0] *= 3.0;
    ASSERT_EQ(finishing_times(network), before) << "seed " << seed;
  }
}

// The first flow uses links 0 and 1, the second link 1 of 10 B/s alone, at no more than 6 B/s. With 4 B/s on link 0
// both go on undisturbed: 400 B and 600 B end at 100 s. With 10 B/s they share link 1 by halves until 80 s, when the
// second has 200 B left, for which it needs 33.3 s.
TEST(Bandwidth, MoreOfOneOfTwoLinksCanDelayTheLast) {
  constexpr Picoseconds kSecond = 1000 * kMillisecond;
  TimedNetwork network{{4.0, 10.0}, {{{{{0}, {1}}, 10.0}, 0, 40 * kSecond}, {{{{1}}, 6.0}, 0, 100 * kSecond}}};
  EXPECT_EQ(finishing_times(network), (std::vector<Picoseconds>{100 * kSecond, 100 * kSecond}));
  network.capacities[0] = 10.0;
  EXPECT_EQ(finishing_times(network), (std::vector<Picoseconds>{80 * kSecond, 80 * kSecond + 100 * kSecond / 3}));
}

}  // namespace
}  // namespace shardsim::engine::network
