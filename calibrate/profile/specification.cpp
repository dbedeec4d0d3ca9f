#include "calibrate/profile/specification.hpp"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <functional>

#include "sim/input/enum_text.hpp"
#include "sim/input/text_file.hpp"
#include "sim/input/units.hpp"

namespace shardsim::calibrate {
namespace {

using Handlers = std::map<std::string, std::function<void(const toml::node&)>>;

class Reader {
 public:
  Reader(std::string file, Problems& problems) : file_{std::move(file)}, problems_{problems} {}

  [[nodiscard]] toml::table parse() {
    toml::parse_result result = toml::parse(input::read_text_file(file_, problems_), file_);
    if (result) return std::move(result).table();
    const auto& error = result.error();
    problems_.add({{file_, static_cast<int>(error.source().begin.line), ""}, "", "", std::string(error.description())});
    return {};
  }

  /// Calls the handler of each key; a key without one is a problem.
  void read(const toml::table& table, const Handlers& handlers) {
    for (const auto& [key, node] : table) {
      const auto handler = handlers.find(std::string(key.str()));
      if (handler == handlers.end()) {
        problem(node, std::string(key.str()), "is not known here");
      } else {
        handler->second(node);
      }
    }
  }

  template <class Into>
  [[nodiscard]] auto into(Into& target) {
    return [this, &target](const toml::node& node) { assign(node, target); };
  }

  [[nodiscard]] auto selectors(std::map<std::string, Selector>& target) {
    return [this, &target](const toml::node& node) {
      for (const auto& [key, inner] : table_of(node)) target[std::string(key.str())] = selector(inner);
    };
  }

  [[nodiscard]] Selector selector(const toml::node& node) {
    Selector result;
    read(table_of(node), {{"gpu", into(result.gpu)},
                          {"dtype", into(result.dtype)},
                          {"layout", into(result.layout)},
                          {"match", into(result.match)},
                          {"bandwidth", into(result.bandwidth)}});
    if (!result.given()) problem(node, "gpu", "must be given");
    return result;
  }

  [[nodiscard]] const toml::table& table_of(const toml::node& node) {
    static const toml::table none;
    if (const auto* table = node.as_table()) return *table;
    problem(node, "", "must be a table");
    return none;
  }

  void problem(const toml::node& node, const std::string& key, const std::string& message) {
    problems_.add({{file_, static_cast<int>(node.source().begin.line), ""}, key, "", message});
  }

 private:
  void assign(const toml::node& node, std::string& target) {
    if (const auto* text = node.as_string()) {
      target = text->get();
    } else {
      problem(node, "", "must be text");
    }
  }
  void assign(const toml::node& node, double& target) {
    const auto number = node.value<double>();
    number ? void(target = *number) : problem(node, "", "must be a number");
  }
  void assign(const toml::node& node, std::int64_t& target) {
    const auto* number = node.as_integer();
    number != nullptr ? void(target = number->get()) : problem(node, "", "must be a whole number");
  }
  void assign(const toml::node& node, bool& target) {
    const auto* flag = node.as_boolean();
    flag != nullptr ? void(target = flag->get()) : problem(node, "", "must be true or false");
  }
  template <class Value>
  void assign_parsed(const toml::node& node, Value& target, input::Parsed<Value> (*from_text)(std::string_view)) {
    const auto parsed = from_text(node.value_or(std::string_view()));
    parsed.value ? void(target = *parsed.value) : problem(node, "", parsed.error);
  }
  void assign(const toml::node& node, Bytes& target) { assign_parsed(node, target, input::parse_bytes); }
  void assign(const toml::node& node, Seconds& target) { assign_parsed(node, target, input::parse_seconds); }
  void assign(const toml::node& node, BytesPerSecond& target) {
    assign_parsed(node, target, input::parse_bytes_per_second);
  }
  void assign(const toml::node& node, FlopsPerSecond& target) {
    assign_parsed(node, target, input::parse_flops_per_second);
  }
  void assign(const toml::node& node, std::vector<hardware::ScalePoint>& target) {
    const auto* points = node.as_array();
    if (points == nullptr) return problem(node, "", "must be a list of [nodes, ratio]");
    for (const toml::node& point : *points) {
      const auto* pair = point.as_array();
      const bool good = pair != nullptr && pair->size() == 2 && pair->get(0)->is_integer() && pair->get(1)->is_number();
      if (!good) return problem(point, "", "must be [nodes, ratio]");
      target.push_back({pair->get(0)->value_or(std::int64_t{0}), pair->get(1)->value_or(0.0)});
    }
  }

  std::string file_;
  Problems& problems_;
};

DeviceSpecification read_device(Reader& reader, const std::string& name, const toml::node& node) {
  DeviceSpecification device;
  device.name = name;
  device.facts.name = name;
  const auto peaks = [&](const toml::node& inner) {
    Handlers handlers;
    for (const auto& format : input::kChoices<model::DType>) {
      handlers[std::string(format.text)] = reader.into(device.facts.gemm[static_cast<std::size_t>(format.value)].peak);
    }
    reader.read(reader.table_of(inner), handlers);
  };
  reader.read(reader.table_of(node),
              {{"title", reader.into(device.facts.title)},
               {"notes", reader.into(device.notes)},
               {"like", reader.into(device.like)},
               {"memory_capacity", reader.into(device.facts.memory_capacity)},
               {"memory_bandwidth", reader.into(device.facts.memory_bandwidth)},
               {"multiprocessors", reader.into(device.facts.multiprocessors)},
               {"kernel_latency", reader.into(device.facts.kernel_latency)},
               {"sustained_slowdown", reader.into(device.facts.sustained_slowdown)},
               {"flash_attention_2_slowdown", reader.into(device.facts.flash_attention_2_slowdown)},
               {"communication_slowdown", reader.into(device.facts.communication_slowdown)},
               {"further_error", reader.into(device.further_error)},
               {"attention_guess",
                [&](const toml::node& inner) {
                  reader.read(reader.table_of(inner),
                              {{"forward_efficiency", reader.into(device.facts.attention.forward_efficiency)},
                               {"backward_efficiency", reader.into(device.facts.attention.backward_efficiency)},
                               {"sequence_half", reader.into(device.facts.attention.sequence_half)}});
                }},
               {"backward_like", reader.into(device.backward_like)},
               {"peak", peaks},
               {"gemm", reader.selectors(device.gemm)},
               {"layouts", reader.selectors(device.layouts)},
               {"attention", reader.selectors(device.attention)},
               {"memory", reader.selectors(device.memory)}});
  return device;
}

ClusterSpecification read_cluster(Reader& reader, const std::string& name, const toml::node& node) {
  ClusterSpecification cluster;
  cluster.name = name;
  const auto network = [&reader](hardware::Network& target) {
    return [&reader, &target](const toml::node& inner) {
      reader.read(reader.table_of(inner), {{"bandwidth", reader.into(target.bandwidth)},
                                           {"efficiency", reader.into(target.efficiency)},
                                           {"base_latency", reader.into(target.base_latency)},
                                           {"step_latency", reader.into(target.step_latency)}});
    };
  };
  const auto selector = [&reader](Selector& target) {
    return [&reader, &target](const toml::node& inner) { target = reader.selector(inner); };
  };
  reader.read(reader.table_of(node), {{"title", reader.into(cluster.facts.title)},
                                      {"notes", reader.into(cluster.notes)},
                                      {"device", reader.into(cluster.device)},
                                      {"gpus_per_node", reader.into(cluster.facts.gpus_per_node)},
                                      {"nics_per_node", reader.into(cluster.facts.nics_per_node)},
                                      {"nvlink_sharp", reader.into(cluster.facts.nvlink_sharp)},
                                      {"collective_slowdown", reader.into(cluster.facts.collective_slowdown)},
                                      {"inter_node_scaling", reader.into(cluster.facts.inter_node_scaling)},
                                      {"further_error", reader.into(cluster.further_error)},
                                      {"intra_node", network(cluster.facts.intra_node)},
                                      {"inter_node", network(cluster.facts.inter_node)},
                                      {"intra", selector(cluster.intra)},
                                      {"inter", selector(cluster.inter)},
                                      {"latency", selector(cluster.latency)}});
  return cluster;
}

}  // namespace

Specifications read_specifications(const std::string& folder, Problems& problems) {
  Specifications specifications;
  Reader devices{folder + "/devices.toml", problems};
  for (const auto& [name, node] : devices.parse()) {
    specifications.devices.push_back(read_device(devices, std::string(name.str()), node));
  }
  Reader clusters{folder + "/clusters.toml", problems};
  for (const auto& [name, node] : clusters.parse()) {
    specifications.clusters.push_back(read_cluster(clusters, std::string(name.str()), node));
  }
  return specifications;
}

}  // namespace shardsim::calibrate
