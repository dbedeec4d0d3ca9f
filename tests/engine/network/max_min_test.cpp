#include "sim/engine/network/max_min.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/engine/network/brute_force.hpp"
#include "tests/engine/network/random_network.hpp"
#include "tests/engine/network/siblings.hpp"

namespace shardsim::engine::network {
namespace {

using Rates = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNetworks = 5000;

Flow over(std::vector<LinkId> links, double bound = kInfinity) {
  Flow flow;
  for (const LinkId link : links) flow.uses.push_back({link});
  flow.rate_bound = bound;
  return flow;
}

TEST(MaxMin, EqualFlowsShareEvenly) {
  EXPECT_EQ(max_min_rates({6.0}, {over({0}), over({0}), over({0})}), (Rates{2.0, 2.0, 2.0}));
}

// Bertsekas & Gallager's chain: a long flow over both links against two short ones. Link 0 (1.0) gives each of its two
// flows 0.5; link 1 (2.0) has 1.5 left for its short flow.
TEST(MaxMin, ALongFlowLeavesTheRest) {
  EXPECT_EQ(max_min_rates({1.0, 2.0}, {over({0, 1}), over({0}), over({1})}), (Rates{0.5, 0.5, 1.5}));
}

// 10: the bounds 1 and 3 are reached, the third flow takes the remaining 6.
TEST(MaxMin, BoundsLeaveTheRest) {
  EXPECT_EQ(max_min_rates({10.0}, {over({0}, 3.0), over({0}), over({0}, 1.0)}), (Rates{3.0, 6.0, 1.0}));
}

TEST(MaxMin, NoLinkNoLimit) {
  EXPECT_EQ(max_min_rates({1.0}, {over({}), over({}, 5.0)}), (Rates{kInfinity, 5.0}));
  EXPECT_EQ(max_min_rates({}, {}), Rates{});
}

// 12 = 1·r + 3·r: both at 3; with a bound of 2 on the heavy one the light one gets 12 − 3·2.
TEST(MaxMin, WeightsAreBytesOnTheLinkPerByte) {
  Flow heavy = over({0});
  heavy.uses[0].weight = weight_of(3.0);
  EXPECT_EQ(max_min_rates({12.0}, {over({0}), heavy}), (Rates{3.0, 3.0}));
  heavy.rate_bound = 2.0;
  EXPECT_EQ(max_min_rates({12.0}, {over({0}), heavy}), (Rates{6.0, 2.0}));
}

// Eight groups of bound nics/gpus·efficiency on one card of that capacity: rounding must not take a bit of the bound.
TEST(MaxMin, AnExactlyFullLinkGivesEveryBound) {
  const double capacity = 25e9 * 0.908;
  for (const int sharers : {2, 3, 5, 7, 8, 12}) {
    const std::vector<Flow> flows(static_cast<std::size_t>(sharers), over({0}, capacity / sharers));
    for (const double rate : max_min_rates({capacity}, flows)) EXPECT_EQ(rate, capacity / sharers);
  }
}

TEST(MaxMin, RandomNetworksEqualBruteForce) {
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    const RandomNetwork network = random_network(seed);
    const Rates rates = max_min_rates(network.capacities, network.flows);
    const Rates reference = brute_force_rates(network.capacities, network.flows);
    ASSERT_EQ(rates.size(), reference.size());
    for (std::size_t i = 0; i < rates.size(); ++i) {
      ASSERT_NEAR(rates[i], reference[i], 1e-7 * std::max(1.0, reference[i])) << "seed " << seed << ", flow " << i;
    }
  }
}

TEST(MaxMin, RandomNetworksMeetTheDefinition) {
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    const RandomNetwork network = random_network(seed, 12, 40);
    ASSERT_EQ(violation(network.capacities, network.flows, max_min_rates(network.capacities, network.flows)), "")
        << "seed " << seed;
  }
}

TEST(MaxMin, TheDefinitionIsChecked) {
  const std::vector<Flow> flows{over({0}), over({0}, 0.5)};
  EXPECT_EQ(violation({2.0}, flows, {1.5, 0.5}), "");
  EXPECT_NE(violation({2.0}, flows, {1.4, 0.5}), "");  // could be faster
  EXPECT_NE(violation({2.0}, flows, {1.0, 1.0}), "");  // over its bound
  EXPECT_NE(violation({2.0}, flows, {2.0, 0.5}), "");  // over the capacity
  EXPECT_NE(violation({2.0}, flows, {1.6, 0.4}), "");  // unfair
}

TEST(MaxMin, OrderDoesNotChangeABit) {
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    RandomNetwork network = random_network(seed, 12, 40);
    const Rates rates = max_min_rates(network.capacities, network.flows);
    std::mt19937 random(seed);
    std::vector<std::size_t> order(network.flows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(random, i)]);
    std::vector<Flow> shuffled;
    for (const std::size_t i : order) {
      shuffled.push_back(network.flows[i]);
      std::reverse(shuffled.back().uses.begin(), shuffled.back().uses.end());
    }
    const Rates again = max_min_rates(network.capacities, shuffled);
    for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(again[i], rates[order[i]]) << "seed " << seed;
  }
}

TEST(MaxMin, OtherLinksDoNotChangeABit) {
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    RandomNetwork both = random_network(seed);
    const RandomNetwork second = random_network(seed + kNetworks);
    Rates apart = max_min_rates(both.capacities, both.flows);
    const Rates rest = max_min_rates(second.capacities, second.flows);
    apart.insert(apart.end(), rest.begin(), rest.end());
    const auto shift = static_cast<LinkId>(both.capacities.size());
    both.capacities.insert(both.capacities.end(), second.capacities.begin(), second.capacities.end());
    for (Flow flow : second.flows) {
      for (Use& use : flow.uses) use.link += shift;
      both.flows.push_back(flow);
    }
    ASSERT_EQ(max_min_rates(both.capacities, both.flows), apart) << "seed " << seed;
  }
}

TEST(MaxMin, OneFlowStandsForItsSiblings) {
  for (std::uint32_t seed = 0; seed < kNetworks; ++seed) {
    const RandomNetwork one = random_network(seed);
    const std::size_t siblings = 2 + seed % 7;
    const RandomNetwork collapsed = collapse(one, siblings);
    const RandomNetwork all = repeat(one, siblings);
    const Rates rates = max_min_rates(collapsed.capacities, collapsed.flows);
    const Rates full = max_min_rates(all.capacities, all.flows);
    for (std::size_t i = 0; i < full.size(); ++i) {
      ASSERT_EQ(full[i], rates[i % rates.size()]) << "seed " << seed << ", flow " << i;
    }
  }
}

}  // namespace
}  // namespace shardsim::engine::network
