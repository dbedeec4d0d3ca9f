// What is not fitted: facts of devices and clusters, and which samples their constants are fitted to.
// calibrate/specifications/*.toml
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/problems.hpp"
#include "sim/hardware/cluster.hpp"

namespace shardsim::calibrate {

/// Which samples: those of a gpu, dtype and layout (empty: any) whose software, kernel, node or network the regular
/// expression finds something in.
struct Selector {
  std::string gpu;
  std::string dtype;
  std::string layout;
  std::string match;
  /// Peak of the device that the samples ran on, where it is another one.
  std::string bandwidth;

  [[nodiscard]] bool given() const { return !gpu.empty(); }
};

struct DeviceSpecification {
  std::string name;
  /// Title, capacity, bandwidth, multiprocessors, peaks and slowdowns; no efficiencies.
  hardware::Device facts;
  /// Where the facts come from.
  std::string notes;
  /// Another device whose fitted constants hold here too; empty: fitted to own samples.
  std::string like;
  /// Deviation between software stacks and of what is derived, beside the fit's own.
  double further_error = 0.0;
  /// By number format; formats with a peak but no samples take those of bf16, else fp16.
  std::map<std::string, Selector> gemm;
  /// forward, input_gradient and weight_gradient measured side by side; or another device's factors.
  std::map<std::string, Selector> layouts;
  /// forward, backward.
  std::map<std::string, Selector> attention;
  /// Device whose ratio of backward to forward attention efficiency holds here, where no backward was measured.
  std::string backward_like;
  /// elementwise, normalization, softmax, optimizer, latency.
  std::map<std::string, Selector> memory;
};

struct ClusterSpecification {
  std::string name;
  /// Title, shape, networks' bandwidths, and the constants that are given and not fitted (others are 0).
  hardware::Cluster facts;
  std::string device;
  std::string notes;
  double further_error = 0.0;
  /// Collectives inside a node, between nodes, and between nodes at large sizes only.
  Selector intra;
  Selector inter;
  /// For latencies, where the collectives inside a node have no small ones.
  Selector latency;
};

struct Specifications {
  std::vector<DeviceSpecification> devices;
  std::vector<ClusterSpecification> clusters;
};

/// devices.toml and clusters.toml of a folder; unknown keys and malformed values are problems.
[[nodiscard]] Specifications read_specifications(const std::string& folder, Problems& problems);

}  // namespace shardsim::calibrate
