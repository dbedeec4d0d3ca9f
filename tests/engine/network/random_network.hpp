// Small networks drawn at random: few links, weights and bounds from short lists, so that ties are common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "sim/engine/network/max_min.hpp"

namespace shardsim::engine::network {

struct RandomNetwork {
  std::vector<double> capacities;
  std::vector<Flow> flows;
};

/// std::uniform_int_distribution differs between libraries.
inline std::size_t below(std::mt19937& random, std::size_t end) { return random() % end; }

/// A quarter of the flows has no bound of its own.
inline RandomNetwork random_network(std::uint32_t seed, std::size_t most_links = 6, std::size_t most_flows = 10) {
  constexpr double kCapacities[] = {1.0, 2.0, 2.0, 3.0, 10.0, 25e9};
  constexpr double kWeights[] = {1.0, 1.0, 0.5, 2.0, 1.0 / 3.0, 7.0};
  constexpr double kBounds[] = {0.1, 0.25, 1.0 / 3.0, 1.0, 1.7, 4.0};
  std::mt19937 random(seed);
  RandomNetwork network;
  const std::size_t links = 1 + below(random, most_links);
  for (std::size_t i = 0; i < links; ++i) network.capacities.push_back(kCapacities[below(random, 6)]);
  const std::size_t flows = 1 + below(random, most_flows);
  for (std::size_t i = 0; i < flows; ++i) {
    Flow flow;
    for (std::size_t link = 0; link < links; ++link) {
      const bool last_chance = link + 1 == links && flow.uses.empty();
      if (!last_chance && below(random, 2) == 0) continue;
      flow.uses.push_back({static_cast<LinkId>(link), weight_of(kWeights[below(random, 6)])});
    }
    if (below(random, 4) > 0) flow.rate_bound = kBounds[below(random, 6)];
    network.flows.push_back(flow);
  }
  return network;
}

}  // namespace shardsim::engine::network
