// The links of a machine, and which of them a message or a collective uses.
//
// Each GPU has a port to its node's switch and each node its network cards, both of the bandwidth that large
// collectives reach; where the fabric is oversubscribed, each leaf switch has an uplink. All links carry both
// directions apart. GPU g of a node uses card g·nics/gpus; where the cards do not divide among the GPUs evenly,
// neighbouring cards are one link (gcd(gpus, nics) links a node).
//
// What a collective takes undisturbed is cost::Pricer's to say, latency included; links see its average rate, since a
// ring alternates latency and slices. A ring over nodes is as many channels as it has ranks in a node, each leaving the
// node by another rank's card, and the rate of the flow is that of one channel: cards are shared evenly among
// channels and messages. Trees (each rank a leaf of one and an inner node of the other), reduction in the switch, and
// the two phases of an all-reduce load each rank's links evenly in both directions just as the ring does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/engine/network/max_min.hpp"
#include "sim/hardware/cluster.hpp"

namespace shardsim::engine::network {

/// What one operation asks of the links, whatever its size.
struct Traffic {
  /// By rising link, each link once.
  std::vector<Use> uses;
  /// Bytes of the flow per byte of the tensor, as collectives count it (sends: of one message).
  double bytes_per_byte = 1.0;
  /// Rate at which a collective, or one message, fills the first of its ports and cards. Uplinks may slow even what
  /// runs alone: its undisturbed time does not know of them.
  double ceiling = 0.0;

  /// Average rate of a tensor of `bytes` (positive) in the time that the operation takes undisturbed, at most
  /// `ceiling`.
  [[nodiscard]] double rate_bound(Bytes bytes, Seconds undisturbed) const;
};

struct Send {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// `one` for itself and its siblings, which do the same at the same time: on each of its own links it weighs what all
/// of them weigh there. Its rate is, bit by bit, that of each of them, where the siblings' links are loaded alike.
[[nodiscard]] Traffic standing_for(Traffic one, const std::vector<Traffic>& siblings);

class Fabric {
 public:
  /// The machine's first `gpus` GPUs, node by node.
  Fabric(const hardware::Cluster& cluster, std::int64_t gpus);

  /// Bytes per second, by link.
  [[nodiscard]] const std::vector<double>& capacities() const { return capacities_; }

  /// Over two or more different GPUs in the order of their ring.
  [[nodiscard]] Traffic collective(hardware::Collective kind, const std::vector<std::int64_t>& gpus) const;
  /// Messages of one size that run side by side as one flow, whose rate is that of each of them.
  [[nodiscard]] Traffic sends(const std::vector<Send>& messages) const;

 private:
  class Load;
  /// The GPUs of a group on one node.
  struct Members {
    std::int64_t node;
    std::vector<std::int64_t> gpus;
  };

  [[nodiscard]] double capacity(LinkId link) const { return capacities_[static_cast<std::size_t>(link)]; }
  [[nodiscard]] LinkId port(std::int64_t gpu) const;
  [[nodiscard]] LinkId card(std::int64_t gpu) const;
  [[nodiscard]] LinkId uplink(std::int64_t node) const;
  [[nodiscard]] std::vector<Members> by_node(const std::vector<std::int64_t>& gpus) const;
  [[nodiscard]] Traffic ring(const std::vector<Members>& nodes, double ranks) const;
  [[nodiscard]] Traffic all_to_all(const std::vector<Members>& nodes, double ranks) const;
  void cross(Load& load, std::int64_t from_node, std::int64_t to_node, Weight weight) const;
  [[nodiscard]] Traffic collective(Load& load, double bytes_per_byte) const;

  std::int64_t gpus_per_node_;
  std::int64_t cards_per_node_;
  /// 0: the fabric never is the bottleneck.
  std::int64_t nodes_per_leaf_;
  LinkId first_card_ = 0;
  LinkId first_uplink_ = 0;
  /// The outgoing direction of each link, followed by the incoming one.
  std::vector<double> capacities_;
};

}  // namespace shardsim::engine::network
