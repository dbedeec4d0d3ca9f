#include "sim/cost/collective.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/check.hpp"

namespace shardsim::cost {
namespace {

double ranks(const GroupPath& path) { return static_cast<double>(path.placement.size); }

bool spans_nodes(const GroupPath& path) { return path.placement.nodes > 1; }

Seconds last_step(const GroupPath& path) { return spans_nodes(path) ? path.inter_step : path.intra_step; }

bool is_measured(const hardware::TwoLines& lines) { return lines.large_bandwidth.value() > 0.0; }

std::array<hardware::TwoLines, hardware::kCollectives> measured_lines(const hardware::Cluster& cluster,
                                                                      const model::GroupPlacement& placement) {
  std::array<hardware::TwoLines, hardware::kCollectives> lines{};
  for (const hardware::MeasuredCollective& entry : cluster.measured_collectives) {
    if (entry.ranks == placement.size && entry.nodes == placement.nodes) {
      lines[static_cast<std::size_t>(entry.kind)] = entry.lines;
    }
  }
  return lines;
}

/// Of the group's own ranks and nodes. A send has two ranks, whatever the group.
std::array<std::vector<hardware::CollectivePoint>, hardware::kCollectives> measured_points(
    const hardware::Cluster& cluster, const model::GroupPlacement& placement) {
  std::array<std::vector<hardware::CollectivePoint>, hardware::kCollectives> points;
  for (const hardware::CollectivePoint& point : cluster.collective_points) {
    const bool pair = point.kind == hardware::Collective::send_recv;
    const std::int64_t ranks = pair ? std::min<std::int64_t>(placement.size, 2) : placement.size;
    const std::int64_t nodes = pair ? std::min<std::int64_t>(placement.nodes, 2) : placement.nodes;
    if (point.ranks == ranks && point.nodes == nodes) points[static_cast<std::size_t>(point.kind)].push_back(point);
  }
  return points;
}

const std::vector<hardware::CollectivePoint>& points_of(const GroupPath& path, hardware::Collective kind) {
  return path.points[static_cast<std::size_t>(kind)];
}

/// The lines of the group's own measurement, or nothing.
const hardware::TwoLines* measured_lines(const GroupPath& path, hardware::Collective kind) {
  const hardware::TwoLines& lines = path.measured[static_cast<std::size_t>(kind)];
  return is_measured(lines) ? &lines : nullptr;
}

}  // namespace

double inter_node_scale(const hardware::Cluster& cluster, std::int64_t nodes) {
  const auto& points = cluster.inter_node_scaling;
  if (points.empty()) return 1.0;
  const auto above = std::find_if(points.begin(), points.end(),
                                  [nodes](const hardware::ScalePoint& point) { return point.nodes >= nodes; });
  if (above == points.end()) return points.back().bandwidth_ratio;
  if (above == points.begin()) return above->bandwidth_ratio;
  const auto below = above - 1;
  const double from = std::log(static_cast<double>(below->nodes));
  const double to = std::log(static_cast<double>(above->nodes));
  const double part = (std::log(static_cast<double>(nodes)) - from) / (to - from);
  return below->bandwidth_ratio + part * (above->bandwidth_ratio - below->bandwidth_ratio);
}

GroupPath group_path(const hardware::Cluster& cluster, const model::GroupPlacement& placement) {
  const hardware::Network& intra = cluster.intra_node;
  const hardware::Network& inter = cluster.inter_node;
  GroupPath path;
  path.placement = placement;
  path.measured = measured_lines(cluster, placement);
  path.points = measured_points(cluster, placement);
  path.intra_bandwidth = intra.efficiency * intra.bandwidth;
  path.bandwidth = path.intra_bandwidth;
  path.base_latency = intra.base_latency;
  path.intra_step = intra.step_latency;
  if (!spans_nodes(path)) {
    path.sharp_efficiency = cluster.nvlink_sharp ? cluster.nvlink_sharp_efficiency : 0.0;
    return path;
  }
  const double nics_per_gpu = static_cast<double>(cluster.nics_per_node) / static_cast<double>(cluster.gpus_per_node);
  const double reached = inter.efficiency * inter_node_scale(cluster, placement.nodes);
  path.nic_share = nics_per_gpu * reached * inter.bandwidth;
  path.bandwidth = std::min(path.intra_bandwidth, static_cast<double>(placement.ranks_per_node) * path.nic_share);
  path.base_latency = inter.base_latency;
  path.inter_step = inter.step_latency;
  return path;
}

Seconds ring_latency(const GroupPath& path, std::int64_t passes) {
  const std::int64_t steps = passes * (path.placement.size - 1);
  const std::int64_t inter = passes * (path.placement.nodes - 1);
  return path.base_latency + static_cast<double>(steps - inter) * path.intra_step +
         static_cast<double>(inter) * path.inter_step;
}

Seconds ring_all_reduce(const GroupPath& path, Bytes bytes) {
  return ring_latency(path, 2) + 2.0 * (ranks(path) - 1.0) / ranks(path) * (bytes / path.bandwidth);
}

Seconds ring_pass(const GroupPath& path, Bytes bytes) {
  return ring_latency(path, 1) + (ranks(path) - 1.0) / ranks(path) * (bytes / path.bandwidth);
}

Seconds tree_all_reduce(const GroupPath& path, Bytes bytes) {
  const auto chain = static_cast<double>(path.placement.ranks_per_node - 1);
  const double depth = std::log2(static_cast<double>(path.placement.nodes));
  return path.base_latency + 2.0 * (chain * path.intra_step + depth * path.inter_step) + 2.0 * (bytes / path.bandwidth);
}

Seconds switch_all_reduce(const GroupPath& path, Bytes bytes) {
  return path.base_latency + 2.0 * path.intra_step +
         (ranks(path) + 1.0) / ranks(path) * (bytes / (path.sharp_efficiency * path.bandwidth));
}

Seconds all_reduce(const GroupPath& path, Bytes bytes) {
  Seconds fastest = std::min(ring_all_reduce(path, bytes), tree_all_reduce(path, bytes));
  if (path.sharp_efficiency > 0.0) fastest = std::min(fastest, switch_all_reduce(path, bytes));
  return fastest;
}

Seconds all_to_all(const GroupPath& path, Bytes bytes) {
  const auto inside = static_cast<double>(path.placement.ranks_per_node);
  Seconds transfer = (inside - 1.0) / ranks(path) * (bytes / path.intra_bandwidth);
  if (spans_nodes(path)) {
    transfer = std::max(transfer, (ranks(path) - inside) / ranks(path) * (bytes / path.nic_share));
  }
  return path.base_latency + last_step(path) + transfer;
}

Seconds send_recv(const GroupPath& path, Bytes bytes) {
  return path.base_latency + last_step(path) + bytes / path.bandwidth;
}

Seconds measured_time(const hardware::TwoLines& lines, Bytes bytes) {
  return std::min(lines.small_latency + bytes / lines.small_bandwidth,
                  lines.large_latency + bytes / lines.large_bandwidth);
}

Seconds interpolated_time(const std::vector<hardware::CollectivePoint>& points, Bytes bytes) {
  const auto above = std::find_if(points.begin(), points.end(),
                                  [bytes](const hardware::CollectivePoint& point) { return point.bytes >= bytes; });
  if (above == points.begin()) return above->time;
  if (above == points.end()) return bytes / points.back().bytes * points.back().time;
  const auto below = above - 1;
  const double part = std::log(bytes / below->bytes) / std::log(above->bytes / below->bytes);
  return std::pow(above->time / below->time, part) * below->time;
}

std::optional<Seconds> started_time(const GroupPath& path, model::OperatorKind kind, Bytes bytes) {
  using hardware::Collective;
  if (kind != model::OperatorKind::all_reduce && kind != model::OperatorKind::reduce_scatter) return {};
  const auto& points = points_of(path, kind == model::OperatorKind::all_reduce ? Collective::started_all_reduce
                                                                               : Collective::started_reduce_scatter);
  if (points.empty() || path.placement.size <= 1) return {};
  return interpolated_time(points, bytes);
}

Seconds collective_time(const GroupPath& path, model::OperatorKind kind, Bytes bytes) {
  using hardware::Collective;
  using model::OperatorKind;
  const auto time = [&path, bytes](Collective measured, Seconds (*algorithm)(const GroupPath&, Bytes)) {
    if (const auto& points = points_of(path, measured); !points.empty()) return interpolated_time(points, bytes);
    const hardware::TwoLines* lines = measured_lines(path, measured);
    return lines != nullptr ? measured_time(*lines, bytes) : algorithm(path, bytes);
  };
  if (path.placement.size <= 1) return Seconds{0.0};
  SHARDSIM_CHECK(path.bandwidth.value() > 0.0, "a network without bandwidth");
  switch (kind) {
    case OperatorKind::all_reduce:
      return time(Collective::all_reduce, all_reduce);
    case OperatorKind::reduce_scatter:
      return time(Collective::reduce_scatter, ring_pass);
    case OperatorKind::all_gather:
      return time(Collective::all_gather, ring_pass);
    case OperatorKind::all_to_all:
      return time(Collective::all_to_all, all_to_all);
    case OperatorKind::send_recv:
      return time(Collective::send_recv, send_recv);
    default:
      SHARDSIM_CHECK(false, "not a collective");
      return Seconds{0.0};
  }
}

}  // namespace shardsim::cost
