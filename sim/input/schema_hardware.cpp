#include <algorithm>

#include "sim/input/schema_builder.hpp"

namespace shardsim::input {
namespace {

using hardware::AttentionProfile;
using hardware::Cluster;
using hardware::Device;
using hardware::GemmProfile;
using hardware::MemoryBoundProfile;
using hardware::Network;
using hardware::ScalePoint;

constexpr NumberRange kShare{0.0, 1.0};
constexpr NumberRange kSlowdown{1.0, 100.0};
constexpr NumberRange kHalf{0.0, 1e9};
constexpr NumberRange kError{0.0, 2.0};

/// "2:1.0 4:0.9": bandwidth over that of two nodes, by number of nodes.
Parsed<std::vector<ScalePoint>> parse_scaling(std::string_view text) {
  std::vector<ScalePoint> points;
  for (std::string_view point = take_word(text); !point.empty(); point = take_word(text)) {
    const std::size_t colon = std::min(point.find(':'), point.size());
    const auto nodes = parse_integer(point.substr(0, colon));
    const auto ratio = parse_number(colon < point.size() ? point.substr(colon + 1) : std::string_view());
    const bool good = nodes.value && ratio.value && *nodes.value >= 1 && *nodes.value <= (1 << 22) &&
                      *ratio.value > 0.0 && *ratio.value <= 10.0;
    if (!good) return {{}, quoted(point) + " is no nodes:ratio, like 2:1.0 4:0.9"};
    if (!points.empty() && points.back().nodes >= *nodes.value) return {{}, "must be sorted by rising number of nodes"};
    points.push_back({*nodes.value, *ratio.value});
  }
  return {std::move(points), {}};
}

std::string write_scaling(const std::vector<ScalePoint>& points) {
  std::string text;
  for (const ScalePoint& point : points) {
    add_word(text, to_text(point.nodes) + ":" + to_text(point.bandwidth_ratio), " ");
  }
  return text;
}

template <class Of>
void add_network_keys(Fields<Of> fields) {
  fields.quantity("bandwidth", &Network::bandwidth, "per direction: of a device's links, or of one NIC")
      .number("efficiency", &Network::efficiency, kShare, "share of the bandwidth that large collectives reach")
      .quantity("base_latency", &Network::base_latency, "start-up of a collective")
      .quantity("step_latency", &Network::step_latency, "each further step of a collective");
}

void add_cluster_keys(std::vector<SchemaKey>& keys) {
  const auto section = [](auto& scenario) -> auto& { return scenario.cluster; };
  Fields fields(keys, "cluster", section);
  fields.text("name", &Cluster::name, "name of the cluster")
      .text("title", &Cluster::title, "one line about the cluster")
      .text("provenance", &Cluster::provenance, "where the values come from")
      .integer("gpus_per_node", &Cluster::gpus_per_node, {1, 1 << 16}, "GPUs of a node")
      .integer("nics_per_node", &Cluster::nics_per_node, {1, 1 << 16}, "network cards of a node")
      .flag("nvlink_sharp", &Cluster::nvlink_sharp, "the switch inside the node reduces")
      .number("nvlink_sharp_efficiency", &Cluster::nvlink_sharp_efficiency, kShare,
              "share of the intra-node bandwidth that reduction in the switch reaches")
      .number("error", &Cluster::error, kError, "deviation of log(predicted / measured) collective time")
      .custom(
          "inter_node_scaling", "list of nodes:ratio, like 2:1.0 4:0.9",
          "bandwidth between nodes over that of two nodes, by number of nodes",
          [](model::Scenario& scenario, std::string_view text) {
            auto parsed = parse_scaling(text);
            if (parsed.value) scenario.cluster.inter_node_scaling = std::move(*parsed.value);
            return parsed.error;
          },
          [](const model::Scenario& scenario) { return write_scaling(scenario.cluster.inter_node_scaling); });
  add_network_keys(fields.nested("intra_node", &Cluster::intra_node));
  add_network_keys(fields.nested("inter_node", &Cluster::inter_node));
}

void add_gemm_keys(std::vector<SchemaKey>& keys, model::DType format) {
  const auto section = [format](auto& scenario) -> auto& {
    return scenario.cluster.device.gemm[static_cast<std::size_t>(format)];
  };
  Fields(keys, "device.gemm." + std::string(choice_text(format)), section)
      .quantity("peak", &GemmProfile::peak, "peak of dense products; 0: the device has no such format")
      .number("efficiency", &GemmProfile::efficiency, kShare, "share of the peak that large products reach")
      .number("m_half", &GemmProfile::m_half, kHalf, "rows at which the efficiency is halved")
      .number("n_half", &GemmProfile::n_half, kHalf, "columns at which the efficiency is halved")
      .number("k_half", &GemmProfile::k_half, kHalf, "inner size at which the efficiency is halved")
      .integer("tile_m", &GemmProfile::tile_m, {0, 1 << 16}, "rows of a multiprocessor's tile; 0: smooth")
      .integer("tile_n", &GemmProfile::tile_n, {0, 1 << 16}, "columns of a multiprocessor's tile; 0: smooth")
      .number("misaligned_slowdown", &GemmProfile::misaligned_slowdown, kSlowdown,
              "time over that of sizes that are multiples of 8");
}

void add_device_keys(std::vector<SchemaKey>& keys) {
  const auto section = [](auto& scenario) -> auto& { return scenario.cluster.device; };
  Fields fields(keys, "device", section);
  fields.text("name", &Device::name, "name of the device")
      .text("title", &Device::title, "one line about the device")
      .text("provenance", &Device::provenance, "where the values come from")
      .quantity("memory_capacity", &Device::memory_capacity, "memory that a process can really allocate")
      .quantity("memory_bandwidth", &Device::memory_bandwidth, "peak of the device memory")
      .integer("multiprocessors", &Device::multiprocessors, {0, 1 << 16}, "multiprocessors")
      .quantity("kernel_latency", &Device::kernel_latency, "start-up and drain of a kernel")
      .number("communication_slowdown", &Device::communication_slowdown, kSlowdown,
              "compute time while a collective runs over undisturbed compute time")
      .number("error", &Device::error, kError, "deviation of log(predicted / measured) kernel time");
  for (const auto& format : kChoices<model::DType>) add_gemm_keys(keys, format.value);
  fields.nested("attention", &Device::attention)
      .number("forward_efficiency", &AttentionProfile::forward_efficiency, kShare, "share of the peak, forward")
      .number("backward_efficiency", &AttentionProfile::backward_efficiency, kShare, "share of the peak, backward")
      .number("sequence_half", &AttentionProfile::sequence_half, kHalf, "keys at which the efficiency is halved");
  fields.nested("memory_bound", &Device::memory_bound)
      .number("elementwise_efficiency", &MemoryBoundProfile::elementwise_efficiency, kShare, "share of the bandwidth")
      .number("normalization_efficiency", &MemoryBoundProfile::normalization_efficiency, kShare, "likewise, norms")
      .number("softmax_efficiency", &MemoryBoundProfile::softmax_efficiency, kShare, "likewise, softmax")
      .number("optimizer_efficiency", &MemoryBoundProfile::optimizer_efficiency, kShare, "likewise, optimizer");
}

}  // namespace

void add_hardware_keys(std::vector<SchemaKey>& keys) {
  add_cluster_keys(keys);
  add_device_keys(keys);
}

}  // namespace shardsim::input
