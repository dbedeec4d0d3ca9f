#include <algorithm>
#include <array>
#include <optional>

#include "sim/input/schema_builder.hpp"

namespace shardsim::input {
namespace {

using hardware::AttentionProfile;
using hardware::Cluster;
using hardware::CollectivePoint;
using hardware::Device;
using hardware::GemmProfile;
using hardware::kCollectiveNames;
using hardware::MeasuredCollective;
using hardware::MeasuredKernel;
using hardware::MemoryBoundProfile;
using hardware::Network;
using hardware::ScalePoint;

constexpr NumberRange kShare{0.0, 1.0};
constexpr NumberRange kSlowdown{1.0, 100.0};
constexpr NumberRange kFactor{0.1, 10.0};
constexpr NumberRange kHalf{0.0, 1e9};
constexpr NumberRange kFullNode{0.5, 100.0};
constexpr NumberRange kError{0.0, 2.0};
constexpr NumberRange kOversubscription{1.0, 1000.0};

/// "2:1.0 4:0.9": bandwidth over that of two nodes, by number of nodes.
Parsed<std::vector<ScalePoint>> parse_scaling(std::string_view text) {
  std::vector<ScalePoint> points;
  for (std::string_view point = take_word(text); !point.empty(); point = take_word(text)) {
    const std::size_t colon = std::min(point.find(':'), point.size());
    const auto nodes = parse_integer(point.substr(0, colon));
    const auto ratio = parse_number(colon < point.size() ? point.substr(colon + 1) : std::string_view());
    const bool good = nodes.value && ratio.value && *nodes.value >= 1 && *nodes.value <= (1 << 22) &&
                      *ratio.value > 0.0 && *ratio.value <= 10.0;
    if (!good) return {{}, in_quotes(point) + " is no nodes:ratio, like 2:1.0 4:0.9"};
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

/// The part of `list` before the next colon, which is taken off with it.
std::string_view take_field(std::string_view& list) {
  const std::string_view field = list.substr(0, list.find(':'));
  list.remove_prefix(std::min(field.size() + 1, list.size()));
  return field;
}

/// "all_reduce:8:1:15us:20GB/s:40us:200GB/s": kind, ranks, nodes, then latency and bandwidth for small and for large
/// messages.
/// One of `names`, as its place in them.
template <class Names>
std::optional<std::size_t> find_name(const Names& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return {};
  return static_cast<std::size_t>(found - names.begin());
}

std::optional<MeasuredCollective> parse_measured_collective(std::string_view text) {
  const auto kind = find_name(kCollectiveNames, take_field(text));
  const auto ranks = parse_integer(take_field(text));
  const auto nodes = parse_integer(take_field(text));
  const auto small_latency = parse_seconds(take_field(text));
  const auto small_bandwidth = parse_bytes_per_second(take_field(text));
  const auto large_latency = parse_seconds(take_field(text));
  const auto large_bandwidth = parse_bytes_per_second(take_field(text));
  const bool good = kind && ranks.value && *ranks.value > 1 && nodes.value && *nodes.value > 0 && small_latency.value &&
                    small_bandwidth.value && large_latency.value && large_bandwidth.value &&
                    small_bandwidth.value->value() > 0.0 && large_bandwidth.value->value() > 0.0 && text.empty();
  if (!good) return {};
  return MeasuredCollective{
      static_cast<hardware::Collective>(*kind),
      *ranks.value,
      *nodes.value,
      {*small_latency.value, *small_bandwidth.value, *large_latency.value, *large_bandwidth.value}};
}

Parsed<std::vector<MeasuredCollective>> parse_measured_collectives(std::string_view text) {
  std::vector<MeasuredCollective> entries;
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
    const auto entry = parse_measured_collective(word);
    if (!entry) {
      return {{}, in_quotes(word) + " is no measured collective, like all_reduce:8:1:15us:20GB/s:40us:200GB/s"};
    }
    entries.push_back(*entry);
  }
  return {std::move(entries), {}};
}

std::string write_measured_collectives(const std::vector<MeasuredCollective>& entries) {
  std::string text;
  for (const MeasuredCollective& entry : entries) {
    std::string word(kCollectiveNames[static_cast<std::size_t>(entry.kind)]);
    for (const std::string& field : {to_text(entry.ranks), to_text(entry.nodes), to_text(entry.lines.small_latency),
                                     to_text(entry.lines.small_bandwidth), to_text(entry.lines.large_latency),
                                     to_text(entry.lines.large_bandwidth)}) {
      word += ':' + field;
    }
    word.erase(std::remove(word.begin(), word.end(), ' '), word.end());
    add_word(text, word, " ");
  }
  return text;
}

/// "all_reduce:2:1:1048576B:512us": kind, ranks, nodes, full tensor, time.
std::optional<CollectivePoint> parse_collective_point(std::string_view text) {
  const auto kind = find_name(kCollectiveNames, take_field(text));
  const auto ranks = parse_integer(take_field(text));
  const auto nodes = parse_integer(take_field(text));
  const auto bytes = parse_bytes(take_field(text));
  const auto time = parse_seconds(take_field(text));
  const bool good = kind && ranks.value && *ranks.value > 1 && nodes.value && *nodes.value > 0 && bytes.value &&
                    bytes.value->value() > 0 && time.value && time.value->value() > 0.0 && text.empty();
  if (!good) return {};
  return CollectivePoint{static_cast<hardware::Collective>(*kind), *ranks.value, *nodes.value, *bytes.value,
                         *time.value};
}

std::string write_point(const CollectivePoint& point) {
  return std::string(kCollectiveNames[static_cast<std::size_t>(point.kind)]) + ':' + to_text(point.ranks) + ':' +
         to_text(point.nodes) + ':' + to_text(point.bytes) + ':' + to_text(point.time);
}

/// "gelu:1048576B:4.8GB/s": kernel, bytes moved, bandwidth reached.
std::optional<MeasuredKernel> parse_measured_kernel(std::string_view text) {
  const auto kernel = find_name(hardware::kKernelNames, take_field(text));
  const auto bytes = parse_bytes(take_field(text));
  const auto bandwidth = parse_bytes_per_second(take_field(text));
  const bool good = kernel && bytes.value && bytes.value->value() > 0 && bandwidth.value &&
                    bandwidth.value->value() > 0.0 && text.empty();
  if (!good) return {};
  return MeasuredKernel{static_cast<hardware::Kernel>(*kernel), *bytes.value, *bandwidth.value};
}

std::string write_point(const MeasuredKernel& point) {
  return std::string(hardware::name_of(point.kernel)) + ':' + to_text(point.bytes) + ':' + to_text(point.bandwidth);
}

/// Points of several curves, by rising size within each: what follows a point of its curve is larger.
template <class Point, class SameCurve>
Parsed<std::vector<Point>> parse_points(std::string_view text, std::optional<Point> (*parse)(std::string_view),
                                        SameCurve same_curve, const std::string& expected) {
  std::vector<Point> points;
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
    const auto point = parse(word);
    if (!point) return {{}, in_quotes(word) + " is no " + expected};
    if (!points.empty() && same_curve(points.back(), *point) && points.back().bytes >= point->bytes) {
      return {{}, in_quotes(word) + " must be larger than the point before"};
    }
    points.push_back(*point);
  }
  return {std::move(points), {}};
}

Parsed<std::vector<CollectivePoint>> parse_collective_points(std::string_view text) {
  return parse_points<CollectivePoint>(
      text, parse_collective_point,
      [](const CollectivePoint& a, const CollectivePoint& b) {
        return a.kind == b.kind && a.ranks == b.ranks && a.nodes == b.nodes;
      },
      "measured collective, like all_reduce:2:1:1048576B:512us");
}

Parsed<std::vector<MeasuredKernel>> parse_measured_kernels(std::string_view text) {
  return parse_points<MeasuredKernel>(
      text, parse_measured_kernel,
      [](const MeasuredKernel& a, const MeasuredKernel& b) { return a.kernel == b.kernel; },
      "measured kernel, like gelu:1048576B:4.8GB/s");
}

/// Without the blanks that units have.
template <class Point>
std::string write_points(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points) {
    std::string word = write_point(point);
    word.erase(std::remove(word.begin(), word.end(), ' '), word.end());
    add_word(text, word, " ");
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
      .integer("nodes_per_leaf", &Cluster::nodes_per_leaf, {0, 1 << 22}, "nodes of a leaf switch; 0: not known")
      .number("fabric_oversubscription", &Cluster::fabric_oversubscription, kOversubscription,
              "bandwidth of a leaf's nodes over that of its uplinks; 1: never the bottleneck")
      .flag("nvlink_sharp", &Cluster::nvlink_sharp, "the switch inside the node reduces")
      .number("nvlink_sharp_efficiency", &Cluster::nvlink_sharp_efficiency, kShare,
              "share of the intra-node bandwidth that reduction in the switch reaches")
      .number("collective_slowdown", &Cluster::collective_slowdown, kSlowdown,
              "time of collectives in training over that of benchmarks")
      .number("error", &Cluster::error, kError, "deviation of log(predicted / measured) collective time")
      .custom(
          "inter_node_scaling", "list of nodes:ratio, like 2:1.0 4:0.9",
          "bandwidth between nodes over that of two nodes, by number of nodes",
          [](model::Scenario& scenario, std::string_view text) {
            auto parsed = parse_scaling(text);
            if (parsed.value) scenario.cluster.inter_node_scaling = std::move(*parsed.value);
            return parsed.error;
          },
          [](const model::Scenario& scenario) { return write_scaling(scenario.cluster.inter_node_scaling); })
      .custom(
          "measured_collectives", "list of kind:ranks:nodes:latency:bandwidth:latency:bandwidth",
          "collectives in groups that were measured: lines for small and for large messages",
          [](model::Scenario& scenario, std::string_view text) {
            auto parsed = parse_measured_collectives(text);
            if (parsed.value) scenario.cluster.measured_collectives = std::move(*parsed.value);
            return parsed.error;
          },
          [](const model::Scenario& scenario) {
            return write_measured_collectives(scenario.cluster.measured_collectives);
          })
      .custom(
          "collective_points", "list of kind:ranks:nodes:bytes:time",
          "collectives that were measured size by size; between the sizes on straight lines of their logarithms",
          [](model::Scenario& scenario, std::string_view text) {
            auto parsed = parse_collective_points(text);
            if (parsed.value) scenario.cluster.collective_points = std::move(*parsed.value);
            return parsed.error;
          },
          [](const model::Scenario& scenario) { return write_points(scenario.cluster.collective_points); });
  add_network_keys(fields.nested("intra_node", &Cluster::intra_node));
  add_network_keys(fields.nested("inter_node", &Cluster::inter_node));
}

template <class Of>
void add_gemm_keys(Fields<Of> fields) {
  fields.quantity("peak", &GemmProfile::peak, "peak of dense products; 0: the device has no such format")
      .number("efficiency", &GemmProfile::efficiency, kShare, "share of the peak that large products reach")
      .number("m_half", &GemmProfile::m_half, kHalf, "rows at which the efficiency is halved")
      .number("n_half", &GemmProfile::n_half, kHalf, "columns at which the efficiency is halved")
      .number("k_half", &GemmProfile::k_half, kHalf, "inner size at which the efficiency is halved")
      .integer("tile_m", &GemmProfile::tile_m, {0, 1 << 16}, "rows of a multiprocessor's tile; 0: smooth")
      .integer("tile_n", &GemmProfile::tile_n, {0, 1 << 16}, "columns of a multiprocessor's tile; 0: smooth")
      .number("misaligned_slowdown", &GemmProfile::misaligned_slowdown, kSlowdown,
              "time over that of sizes that are multiples of 8")
      .number("input_gradient_slowdown", &GemmProfile::input_gradient_slowdown, kFactor,
              "time of the input gradient over that of a forward product of its shape")
      .number("weight_gradient_slowdown", &GemmProfile::weight_gradient_slowdown, kFactor,
              "time of the weight gradient over that of a forward product of its shape");
}

void add_gemm_keys(std::vector<SchemaKey>& keys, model::DType format) {
  const auto section = [format](auto& scenario) -> auto& {
    return scenario.cluster.device.gemm[static_cast<std::size_t>(format)];
  };
  add_gemm_keys(Fields(keys, "device.gemm." + std::string(choice_text(format)), section));
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
      .number("sustained_slowdown", &Device::sustained_slowdown, kSlowdown,
              "time of matrix work in hours of training over that in a short burst")
      .number("flash_attention_2_slowdown", &Device::flash_attention_2_slowdown, kSlowdown,
              "FlashAttention-2 over the attention of this profile")
      .number("matrix_full_node_slowdown", &Device::matrix_full_node_slowdown, kFullNode,
              "time of matrix work while all devices of a node work over that of one alone")
      .number("memory_full_node_slowdown", &Device::memory_full_node_slowdown, kFullNode, "likewise, memory-bound work")
      .custom(
          "measured_kernels", "list of kernel:bytes:bandwidth", "memory-bound kernels that were measured size by size",
          [](model::Scenario& scenario, std::string_view text) {
            auto parsed = parse_measured_kernels(text);
            if (parsed.value) scenario.cluster.device.measured_kernels = std::move(*parsed.value);
            return parsed.error;
          },
          [](const model::Scenario& scenario) { return write_points(scenario.cluster.device.measured_kernels); })
      .number("communication_slowdown", &Device::communication_slowdown, kSlowdown,
              "compute time while a collective runs over undisturbed compute time")
      .number("error", &Device::error, kError, "deviation of log(predicted / measured) kernel time");
  for (const auto& format : kChoices<model::DType>) add_gemm_keys(keys, format.value);
  add_gemm_keys(fields.nested("batched_gemm", &Device::batched_gemm));
  fields.nested("attention", &Device::attention)
      .number("forward_efficiency", &AttentionProfile::forward_efficiency, kShare, "share of the peak, forward")
      .number("backward_efficiency", &AttentionProfile::backward_efficiency, kShare, "share of the peak, backward")
      .number("sequence_half", &AttentionProfile::sequence_half, kHalf, "keys at which the efficiency is halved")
      .number("head_half", &AttentionProfile::head_half, kHalf, "head size at which the efficiency is halved");
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
