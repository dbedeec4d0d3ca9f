// Collectives: as measured for the group, or the fastest of the algorithms that apply, each latency +
// bytes·factor/bandwidth.
// `bytes` is the full tensor, as nccl-tests counts it (for all-to-all: what one rank sends in all).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/hardware/cluster.hpp"
#include "sim/model/operators.hpp"
#include "sim/model/rank_grid.hpp"

namespace shardsim::cost {

/// What a group's collectives see of the machine.
struct GroupPath {
  model::GroupPlacement placement;
  /// Of one rank's ring, per direction (nccl-tests' bus bandwidth at large sizes).
  BytesPerSecond bandwidth{0.0};
  /// Of one rank's links inside the node, and of its share of the node's NICs.
  BytesPerSecond intra_bandwidth{0.0};
  BytesPerSecond nic_share{0.0};
  Seconds base_latency{0.0};
  Seconds intra_step{0.0};
  Seconds inter_step{0.0};
  /// 0 = no reduction in the switch.
  double sharp_efficiency = 0.0;
  /// By hardware::Collective.
  std::array<hardware::TwoLines, hardware::kCollectives> measured;
  std::array<std::vector<hardware::CollectivePoint>, hardware::kCollectives> points;
};

/// Measured fall of the inter-node bandwidth at `nodes`: linear in log(nodes) between the points, constant outside.
[[nodiscard]] double inter_node_scale(const hardware::Cluster& cluster, std::int64_t nodes);

/// Bandwidths and latencies of a placement. Across nodes the ring has min(intra, ranks_per_node · nics · NIC bandwidth
/// / gpus_per_node · efficiency · scale): a node's NICs are shared by its gpus_per_node / ranks_per_node sibling
/// groups.
[[nodiscard]] GroupPath group_path(const hardware::Cluster& cluster, const model::GroupPlacement& placement);

/// NCCL's ring (tuning.cc): base + (steps − inter)·intra_step + inter·inter_step, with passes·(n − 1) steps of which
/// passes·(nodes − 1) cross nodes.
[[nodiscard]] Seconds ring_latency(const GroupPath& path, std::int64_t passes);

/// 2(n − 1)/n · D/B (Patarasuk & Yuan 2009).
[[nodiscard]] Seconds ring_all_reduce(const GroupPath& path, Bytes bytes);

/// (n − 1)/n · D/B: all-gather and reduce-scatter are one pass of the ring each.
[[nodiscard]] Seconds ring_pass(const GroupPath& path, Bytes bytes);

/// Double binary tree (Sanders et al. 2009; NCCL): base + 2((ranks_per_node − 1)·intra + log2(nodes)·inter) + 2·D/B.
[[nodiscard]] Seconds tree_all_reduce(const GroupPath& path, Bytes bytes);

/// NVLink SHARP: each rank sends and receives its data once, and its 1/n of the result once more:
/// base + 2·step + (n + 1)/n · D/(B·efficiency).
[[nodiscard]] Seconds switch_all_reduce(const GroupPath& path, Bytes bytes);

/// Fastest of ring, tree and, where there is one, the switch.
[[nodiscard]] Seconds all_reduce(const GroupPath& path, Bytes bytes);

/// Every rank sends 1/n to each rank at once: the node's links and its NICs work side by side.
[[nodiscard]] Seconds all_to_all(const GroupPath& path, Bytes bytes);

/// One message to a neighbour in the group: base + step + D/B.
[[nodiscard]] Seconds send_recv(const GroupPath& path, Bytes bytes);

/// min over both lines of latency + D/B.
[[nodiscard]] Seconds measured_time(const hardware::TwoLines& lines, Bytes bytes);

/// Between the points on straight lines in logarithms; below the smallest its time (latency), beyond the largest its
/// bandwidth.
[[nodiscard]] Seconds interpolated_time(const std::vector<hardware::CollectivePoint>& points, Bytes bytes);

/// Non-blocking reductions where they were measured apart.
[[nodiscard]] std::optional<Seconds> started_time(const GroupPath& path, model::OperatorKind kind, Bytes bytes);

/// By kind, as measured where the group was measured; 0 for a group of one rank.
[[nodiscard]] Seconds collective_time(const GroupPath& path, model::OperatorKind kind, Bytes bytes);

}  // namespace shardsim::cost
