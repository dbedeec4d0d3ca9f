// Nodes of equal devices and the networks inside and between them.
// Each cluster is a data file under scenarios/clusters/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/hardware/device.hpp"

namespace shardsim::hardware {

/// One network as a rank sees it.
struct Network {
  /// Per direction: of one device's links inside a node; of one NIC between nodes.
  BytesPerSecond bandwidth{0.0};
  /// Share of the bandwidth that large collectives reach.
  double efficiency = 0.0;
  /// Start-up of one collective, and each further step of its algorithm.
  Seconds base_latency{0.0};
  Seconds step_latency{0.0};
};

/// Measured fall of the inter-node bandwidth with the number of nodes.
struct ScalePoint {
  std::int64_t nodes = 0;
  /// Over the bandwidth between two nodes.
  double bandwidth_ratio = 1.0;
};

/// started: non-blocking, as gradients are reduced beside compute; some libraries run them by other algorithms.
enum class Collective {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  send_recv,
  started_all_reduce,
  started_reduce_scatter,
};
/// By Collective.
inline constexpr std::array kCollectiveNames =
    std::to_array<std::string_view>({"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "send_recv",
                                     "started_all_reduce", "started_reduce_scatter"});
inline constexpr std::size_t kCollectives = kCollectiveNames.size();

/// Measured time of a collective: min over two protocols of latency + bytes / bandwidth, bytes the full tensor.
/// Without bandwidths: not measured.
struct TwoLines {
  Seconds small_latency{0.0};
  BytesPerSecond small_bandwidth{0.0};
  Seconds large_latency{0.0};
  BytesPerSecond large_bandwidth{0.0};
};

/// One collective in groups of one size and placement.
struct MeasuredCollective {
  Collective kind = Collective::all_reduce;
  std::int64_t ranks = 0;
  std::int64_t nodes = 1;
  TwoLines lines;
};

/// The measured time of one collective of one size; bytes the full tensor.
struct CollectivePoint {
  Collective kind = Collective::all_reduce;
  std::int64_t ranks = 0;
  std::int64_t nodes = 1;
  Bytes bytes{0};
  Seconds time{0.0};
};

struct Cluster {
  std::string name = "custom";
  std::string title;
  std::string provenance;
  Device device;
  std::int64_t gpus_per_node = 1;
  Network intra_node;
  std::int64_t nics_per_node = 1;
  Network inter_node;
  /// Sorted by nodes; empty = full bandwidth at every size.
  std::vector<ScalePoint> inter_node_scaling;
  /// Nodes of one leaf switch, and the bandwidth of their cards together over that of the leaf's uplinks. 1: the fabric
  /// never is the bottleneck.
  std::int64_t nodes_per_leaf = 0;
  double fabric_oversubscription = 1.0;
  /// Switch reduction inside the node (NVLink SHARP; Hopper and newer).
  bool nvlink_sharp = false;
  /// Share of the links' collective bandwidth that reductions in the switch reach (NCCL's nvlsEfficiency).
  double nvlink_sharp_efficiency = 1.0;
  /// Groups of these sizes take the measured time, all others that of the algorithms on the networks above.
  std::vector<MeasuredCollective> measured_collectives;
  /// Size by size, sorted by size within a group: where no line fits. Used before everything else.
  std::vector<CollectivePoint> collective_points;
  /// Collectives inside layers (tensor and context parallel) and inside a node over those of nccl-tests: ranks arrive
  /// at different times, many times a second, and other kernels use the same memory and multiprocessors.
  double collective_slowdown = 1.0;
  /// Standard deviation of the logarithm of predicted over measured collective time.
  double error = 0.2;
};

}  // namespace shardsim::hardware
