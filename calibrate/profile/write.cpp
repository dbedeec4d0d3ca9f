#include "calibrate/profile/write.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "sim/input/enum_text.hpp"
#include "sim/input/text.hpp"
#include "sim/input/units.hpp"

namespace shardsim::calibrate {
namespace {

using input::in_quotes;
using input::to_text;

constexpr std::size_t kTextWidth = 114;
constexpr std::string_view kWritten =
    "# Written by `shardsim calibrate fit` from calibrate/specifications and calibrate/published: do not edit.\n";

/// key = value, quantities with their unit in quotation marks.
std::string line(std::string_view key, double value) { return std::string(key) + " = " + to_text(value) + "\n"; }
std::string line(std::string_view key, std::int64_t value) { return std::string(key) + " = " + to_text(value) + "\n"; }
std::string line(std::string_view key, bool value) { return std::string(key) + " = " + to_text(value) + "\n"; }
std::string line(std::string_view key, const std::string& text) {
  return std::string(key) + " = " + in_quotes(text) + "\n";
}
template <class Dimension, class Number>
std::string line(std::string_view key, Quantity<Dimension, Number> value) {
  return line(key, to_text(value));
}

/// Several lines of text that TOML joins to one.
std::string long_text(std::string_view key, const std::string& text) {
  std::string result = std::string(key) + " = \"\"\"\\\n    ";
  std::size_t width = 0;
  std::string_view words = text;
  for (bool first = true; !words.empty(); first = false) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    if (!first && width + 1 + word.size() > kTextWidth) {
      result += " \\\n    ";
      width = 0;
    } else if (!first) {
      result += ' ';
      ++width;
    }
    result += word;
    width += word.size();
  }
  return result + "\"\"\"\n";
}

std::string gemm_text(const hardware::GemmProfile& profile) {
  std::string text = line("peak", profile.peak) + line("efficiency", profile.efficiency);
  for (const auto& [key, half] :
       {std::pair{"m_half", profile.m_half}, {"n_half", profile.n_half}, {"k_half", profile.k_half}}) {
    if (half > 0.0) text += line(key, half);
  }
  if (profile.tile_m > 0) text += line("tile_m", profile.tile_m) + line("tile_n", profile.tile_n);
  if (profile.input_gradient_slowdown != 1.0) text += line("input_gradient_slowdown", profile.input_gradient_slowdown);
  if (profile.weight_gradient_slowdown != 1.0) {
    text += line("weight_gradient_slowdown", profile.weight_gradient_slowdown);
  }
  return text;
}

std::string network_text(const hardware::Network& network) {
  return line("bandwidth", network.bandwidth) + line("efficiency", network.efficiency) +
         line("base_latency", network.base_latency) + line("step_latency", network.step_latency);
}

/// In a point of a list no value holds blanks.
template <class Value>
std::string field(Value value) {
  std::string text = to_text(value);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return in_quotes(text);
}

std::string measured_text(const std::vector<hardware::MeasuredCollective>& entries) {
  if (entries.empty()) return {};
  std::string text =
      "# [collective, ranks, nodes, latency and bandwidth of small messages, latency and bandwidth of large ones]\n"
      "measured_collectives = [\n";
  for (const hardware::MeasuredCollective& entry : entries) {
    const hardware::TwoLines& lines = entry.lines;
    text += "  [" + in_quotes(hardware::kCollectiveNames[static_cast<std::size_t>(entry.kind)]) + ", " +
            to_text(entry.ranks) + ", " + to_text(entry.nodes) + ", " + field(lines.small_latency) + ", " +
            field(lines.small_bandwidth) + ", " + field(lines.large_latency) + ", " + field(lines.large_bandwidth) +
            "],\n";
  }
  return text + "]\n";
}

std::string points_text(const std::vector<hardware::CollectivePoint>& points) {
  if (points.empty()) return {};
  std::string text = "# [collective, ranks, nodes, full tensor, time]\ncollective_points = [\n";
  for (const hardware::CollectivePoint& point : points) {
    text += "  [" + in_quotes(hardware::kCollectiveNames[static_cast<std::size_t>(point.kind)]) + ", " +
            to_text(point.ranks) + ", " + to_text(point.nodes) + ", " + field(point.bytes) + ", " + field(point.time) +
            "],\n";
  }
  return text + "]\n";
}

std::string kernels_text(const std::vector<hardware::MeasuredKernel>& points) {
  if (points.empty()) return {};
  std::string text = "# [kernel, bytes moved, bandwidth]\nmeasured_kernels = [\n";
  for (const hardware::MeasuredKernel& point : points) {
    text += "  [" + in_quotes(hardware::name_of(point.kernel)) + ", " + field(point.bytes) + ", " +
            field(point.bandwidth) + "],\n";
  }
  return text + "]\n";
}

std::string scaling_text(const std::vector<hardware::ScalePoint>& points) {
  if (points.empty()) return {};
  std::string list;
  for (const hardware::ScalePoint& point : points) {
    input::add_word(list, "[" + to_text(point.nodes) + ", " + to_text(point.bandwidth_ratio) + "]");
  }
  return "# [nodes, bandwidth over that of two nodes]\ninter_node_scaling = [" + list + "]\n";
}

[[noreturn]] void refuse(const std::string& path, const std::string& message) {
  throw InputError({Problem{{path, 0, ""}, "", "", message}});
}

}  // namespace

std::string device_sections(const hardware::Device& device) {
  std::string text = "[device]\n" + line("title", device.title) + long_text("provenance", device.provenance) +
                     line("memory_capacity", device.memory_capacity) +
                     line("memory_bandwidth", device.memory_bandwidth) +
                     line("multiprocessors", device.multiprocessors) + line("kernel_latency", device.kernel_latency) +
                     line("sustained_slowdown", device.sustained_slowdown) +
                     line("communication_slowdown", device.communication_slowdown);
  if (device.flash_attention_2_slowdown != 1.0) {
    text += line("flash_attention_2_slowdown", device.flash_attention_2_slowdown);
  }
  for (const auto& [key, slowdown] : {std::pair{"matrix_full_node_slowdown", device.matrix_full_node_slowdown},
                                      {"memory_full_node_slowdown", device.memory_full_node_slowdown}}) {
    if (slowdown != 1.0) text += line(key, slowdown);
  }
  text += line("error", device.error) + kernels_text(device.measured_kernels);
  for (const auto& format : input::kChoices<model::DType>) {
    const hardware::GemmProfile& gemm = device.gemm[static_cast<std::size_t>(format.value)];
    if (gemm.peak.value() > 0.0) text += "\n[device.gemm." + std::string(format.text) + "]\n" + gemm_text(gemm);
  }
  if (device.batched_gemm.peak.value() > 0.0) text += "\n[device.batched_gemm]\n" + gemm_text(device.batched_gemm);
  const hardware::AttentionProfile& attention = device.attention;
  text += "\n[device.attention]\n" + line("forward_efficiency", attention.forward_efficiency) +
          line("backward_efficiency", attention.backward_efficiency) + line("sequence_half", attention.sequence_half) +
          line("head_half", attention.head_half);
  const hardware::MemoryBoundProfile& memory = device.memory_bound;
  return text + "\n[device.memory_bound]\n" + line("elementwise_efficiency", memory.elementwise_efficiency) +
         line("normalization_efficiency", memory.normalization_efficiency) +
         line("softmax_efficiency", memory.softmax_efficiency) +
         line("optimizer_efficiency", memory.optimizer_efficiency);
}

std::string cluster_sections(const hardware::Cluster& cluster, const std::string& device) {
  std::string text = "[cluster]\n" + line("title", cluster.title) + long_text("provenance", cluster.provenance) +
                     (device.empty() ? std::string() : line("device", device)) +
                     line("gpus_per_node", cluster.gpus_per_node) + line("nics_per_node", cluster.nics_per_node) +
                     line("nvlink_sharp", cluster.nvlink_sharp);
  if (cluster.nvlink_sharp) text += line("nvlink_sharp_efficiency", cluster.nvlink_sharp_efficiency);
  return text + line("collective_slowdown", cluster.collective_slowdown) + line("error", cluster.error) +
         scaling_text(cluster.inter_node_scaling) + measured_text(cluster.measured_collectives) +
         points_text(cluster.collective_points) + "\n[cluster.intra_node]\n" + network_text(cluster.intra_node) +
         "\n[cluster.inter_node]\n" + network_text(cluster.inter_node);
}

std::string device_text(const DeviceProfile& profile) {
  return std::string(kWritten) + device_sections(profile.device);
}

std::string cluster_text(const ClusterProfile& profile) {
  return std::string(kWritten) + cluster_sections(profile.cluster, profile.device);
}

std::map<std::string, std::string> profile_files(const std::vector<DeviceProfile>& devices,
                                                 const std::vector<ClusterProfile>& clusters) {
  std::map<std::string, std::string> files;
  for (const DeviceProfile& each : devices) files["devices/" + each.device.name + ".toml"] = device_text(each);
  for (const ClusterProfile& each : clusters) files["clusters/" + each.cluster.name + ".toml"] = cluster_text(each);
  return files;
}

void write_files(const std::string& folder, const std::map<std::string, std::string>& files) {
  const auto temporary = [&folder](const std::string& name) { return folder + "/" + name + ".new"; };
  const auto remove_all = [&files, &temporary] {
    std::error_code ignored;
    for (const auto& [name, text] : files) std::filesystem::remove(temporary(name), ignored);
  };
  for (const auto& [name, text] : files) {
    std::ofstream out{temporary(name), std::ios::binary};
    out << text;
    if (out.flush()) continue;
    remove_all();
    refuse(folder + "/" + name, "cannot be written");
  }
  for (const auto& [name, text] : files) {
    std::error_code error;
    std::filesystem::rename(temporary(name), folder + "/" + name, error);
    if (!error) continue;
    remove_all();
    refuse(folder + "/" + name, error.message());
  }
}

}  // namespace shardsim::calibrate
