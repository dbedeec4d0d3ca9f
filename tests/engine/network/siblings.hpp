// k identical sets of flows that share link 0 and have a copy each of all other links, in full and as one set.
#pragma once

#include <cstddef>

#include "tests/engine/network/playback.hpp"

namespace shardsim::engine::network {

inline Flow& flow_of(Flow& flow) { return flow; }
inline Flow& flow_of(TimedFlow& timed) { return timed.flow; }

/// One set whose weights on link 0 stand for all.
template <class Network>
Network collapse(Network one, std::size_t siblings) {
  for (auto& flow : one.flows) {
    for (Use& use : flow_of(flow).uses) {
      if (use.link == 0) use.weight *= static_cast<Weight>(siblings);
    }
  }
  return one;
}

/// All of them, set by set.
template <class Network>
Network repeat(const Network& one, std::size_t siblings) {
  Network all{{one.capacities[0]}, {}};
  const auto own_links = static_cast<LinkId>(one.capacities.size() - 1);
  for (std::size_t sibling = 0; sibling < siblings; ++sibling) {
    all.capacities.insert(all.capacities.end(), one.capacities.begin() + 1, one.capacities.end());
    for (auto flow : one.flows) {
      for (Use& use : flow_of(flow).uses) {
        if (use.link > 0) use.link += static_cast<LinkId>(sibling) * own_links;
      }
      all.flows.push_back(flow);
    }
  }
  return all;
}

}  // namespace shardsim::engine::network
