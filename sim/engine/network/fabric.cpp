#include "sim/engine/network/fabric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/base/check.hpp"

namespace shardsim::engine::network {

/// Collects the weights on links.
class Fabric::Load {
 public:
  void out(LinkId link, Weight weight) { uses_.push_back({link, weight}); }
  void in(LinkId link, Weight weight) { uses_.push_back({link + 1, weight}); }
  void both(LinkId link, Weight weight) {
    out(link, weight);
    in(link, weight);
  }
  /// Sorted, one entry a link.
  [[nodiscard]] std::vector<Use> take() {
    std::sort(uses_.begin(), uses_.end(), [](Use a, Use b) { return a.link < b.link; });
    std::vector<Use> merged;
    for (const Use use : uses_) {
      if (use.weight == 0) continue;
      if (!merged.empty() && merged.back().link == use.link) {
        merged.back().weight += use.weight;
      } else {
        merged.push_back(use);
      }
    }
    return merged;
  }

 private:
  std::vector<Use> uses_;
};

double Traffic::rate_bound(Bytes bytes, Seconds undisturbed) const {
  return std::min(ceiling, bytes_per_byte * bytes.as_double() / undisturbed.value());
}

Traffic standing_for(Traffic one, const std::vector<Traffic>& siblings) {
  for (const Traffic& sibling : siblings) {
    auto theirs = sibling.uses.begin();
    for (Use& use : one.uses) {
      while (theirs != sibling.uses.end() && theirs->link < use.link) ++theirs;
      if (theirs != sibling.uses.end() && theirs->link == use.link) use.weight += theirs->weight;
    }
  }
  return one;
}

Fabric::Fabric(const hardware::Cluster& cluster, std::int64_t gpus)
    : gpus_per_node_(cluster.gpus_per_node),
      cards_per_node_(std::gcd(cluster.gpus_per_node, cluster.nics_per_node)),
      nodes_per_leaf_(cluster.fabric_oversubscription > 1.0 ? cluster.nodes_per_leaf : 0) {
  const std::int64_t nodes = (gpus + gpus_per_node_ - 1) / gpus_per_node_;
  const auto add = [this](std::int64_t links, double capacity) {
    const auto first = static_cast<LinkId>(capacities_.size());
    SHARDSIM_CHECK(capacity > 0.0, "a network without bandwidth");
    capacities_.insert(capacities_.end(), static_cast<std::size_t>(2 * links), capacity);
    return first;
  };
  if (gpus > 1 && gpus_per_node_ > 1) {
    add(gpus, cluster.intra_node.efficiency * cluster.intra_node.bandwidth.value());
  }
  if (nodes == 1) return;
  const double node_bandwidth =
      static_cast<double>(cluster.nics_per_node) * cluster.inter_node.efficiency * cluster.inter_node.bandwidth.value();
  first_card_ = add(nodes * cards_per_node_, node_bandwidth / static_cast<double>(cards_per_node_));
  if (nodes_per_leaf_ == 0) return;
  const std::int64_t leaves = (nodes + nodes_per_leaf_ - 1) / nodes_per_leaf_;
  first_uplink_ = add(leaves, static_cast<double>(nodes_per_leaf_) * node_bandwidth / cluster.fabric_oversubscription);
}

LinkId Fabric::port(std::int64_t gpu) const { return static_cast<LinkId>(2 * gpu); }

LinkId Fabric::card(std::int64_t gpu) const {
  return first_card_ + static_cast<LinkId>(2 * (gpu / (gpus_per_node_ / cards_per_node_)));
}

LinkId Fabric::uplink(std::int64_t node) const {
  return first_uplink_ + static_cast<LinkId>(2 * (node / nodes_per_leaf_));
}

void Fabric::cross(Load& load, std::int64_t from_node, std::int64_t to_node, Weight weight) const {
  if (nodes_per_leaf_ == 0 || from_node / nodes_per_leaf_ == to_node / nodes_per_leaf_) return;
  load.out(uplink(from_node), weight);
  load.in(uplink(to_node), weight);
}

std::vector<Fabric::Members> Fabric::by_node(const std::vector<std::int64_t>& gpus) const {
  std::vector<Members> nodes;
  for (const std::int64_t gpu : gpus) {
    const std::int64_t node = gpu / gpus_per_node_;
    auto known = nodes.end();
    if (!nodes.empty() && nodes.back().node == node) {
      known = nodes.end() - 1;
    } else {
      known = std::find_if(nodes.begin(), nodes.end(), [node](const Members& seen) { return seen.node == node; });
    }
    if (known == nodes.end()) known = nodes.insert(known, {node, {}});
    known->gpus.push_back(gpu);
  }
  return nodes;
}

Traffic Fabric::collective(Load& load, double bytes_per_byte) const {
  Traffic traffic{load.take(), bytes_per_byte, std::numeric_limits<double>::max()};
  for (const Use use : traffic.uses) {
    if (nodes_per_leaf_ > 0 && use.link >= first_uplink_) break;
    traffic.ceiling = std::min(traffic.ceiling, capacity(use.link) / ratio_of(use.weight));
  }
  return traffic;
}

/// Each channel passes the node's GPUs one after another, entering and leaving by the cards of neighbours in the ring.
Traffic Fabric::ring(const std::vector<Members>& nodes, double ranks) const {
  Load load;
  if (nodes.size() == 1) {
    for (const std::int64_t gpu : nodes.front().gpus) load.both(port(gpu), kUnitWeight);
    return collective(load, (ranks - 1.0) / ranks);
  }
  const auto channels = std::max<std::int64_t>(1, static_cast<std::int64_t>(ranks) / std::ssize(nodes));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& gpus = nodes[i].gpus;
    const double passing = static_cast<double>(channels) / static_cast<double>(gpus.size());
    for (const std::int64_t gpu : gpus) {
      load.both(card(gpu), weight_of(passing));
      if (gpus.size() > 1) load.both(port(gpu), weight_of(passing * static_cast<double>(gpus.size() - 1)));
    }
    cross(load, nodes[i].node, nodes[(i + 1) % nodes.size()].node, channels * kUnitWeight);
  }
  return collective(load, (ranks - 1.0) / ranks / static_cast<double>(channels));
}

/// The flow is what one rank sends out of its node, or, within one node, to the others.
Traffic Fabric::all_to_all(const std::vector<Members>& nodes, double ranks) const {
  Load load;
  const double inside = nodes.size() == 1 ? 1.0 : std::floor(ranks / static_cast<double>(nodes.size()));
  const double unit = ranks - inside;
  for (const Members& here : nodes) {
    const auto members = static_cast<double>(here.gpus.size());
    for (const std::int64_t gpu : here.gpus) {
      if (members > 1.0) load.both(port(gpu), weight_of((members - 1.0) / unit));
      if (nodes.size() > 1) load.both(card(gpu), weight_of((ranks - members) / unit));
    }
    for (const Members& there : nodes) {
      cross(load, here.node, there.node, weight_of(members * static_cast<double>(there.gpus.size()) / unit));
    }
  }
  return collective(load, unit / ranks);
}

Traffic Fabric::collective(hardware::Collective kind, const std::vector<std::int64_t>& gpus) const {
  SHARDSIM_CHECK(gpus.size() > 1, "a collective of one GPU");
  const auto ranks = static_cast<double>(gpus.size());
  const std::vector<Members> nodes = by_node(gpus);
  if (kind == hardware::Collective::all_to_all) return all_to_all(nodes, ranks);
  Traffic traffic = ring(nodes, ranks);
  if (kind == hardware::Collective::all_reduce) traffic.bytes_per_byte *= 2.0;
  return traffic;
}

Traffic Fabric::sends(const std::vector<Send>& messages) const {
  Load load;
  double ceiling = std::numeric_limits<double>::max();
  for (const Send message : messages) {
    SHARDSIM_CHECK(message.from != message.to, "a GPU sends to another one");
    const std::int64_t from_node = message.from / gpus_per_node_;
    const std::int64_t to_node = message.to / gpus_per_node_;
    const bool inside = from_node == to_node;
    const LinkId out = inside ? port(message.from) : card(message.from);
    load.out(out, kUnitWeight);
    load.in(inside ? port(message.to) : card(message.to), kUnitWeight);
    cross(load, from_node, to_node, kUnitWeight);
    ceiling = std::min(ceiling, capacity(out));
  }
  return {load.take(), 1.0, ceiling};
}

}  // namespace shardsim::engine::network
