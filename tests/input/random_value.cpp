#include "tests/input/random_value.hpp"

#include "sim/input/units.hpp"

namespace shardsim::input::test {
namespace {

std::vector<std::string> split(const std::string& list, const std::string& between) {
  std::vector<std::string> words;
  std::size_t from = 0;
  for (std::size_t at = list.find(between); at != std::string::npos; at = list.find(between, from)) {
    words.push_back(list.substr(from, at - from));
    from = at + between.size();
  }
  words.push_back(list.substr(from));
  return words;
}

bool starts_with(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

}  // namespace

std::int64_t below(std::int64_t n, std::mt19937_64& random) {
  return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random);
}

std::string random_value(const SchemaKey& key, std::mt19937_64& random) {
  if (starts_with(key.kind, "whole number ")) {
    const auto bounds = split(key.kind.substr(13), " … ");
    const std::int64_t low = parse_integer(bounds.at(0)).value.value();
    return std::to_string(low + below(parse_integer(bounds.at(1)).value.value() - low + 1, random));
  }
  if (starts_with(key.kind, "number ")) {
    const auto bounds = split(key.kind.substr(7), " … ");
    std::uniform_real_distribution<double> value(parse_number(bounds.at(0)).value.value(),
                                                 parse_number(bounds.at(1)).value.value());
    return to_text(value(random));
  }
  if (key.kind == "true or false") return below(2, random) == 0 ? "true" : "false";
  if (key.kind == "text") return "text " + std::to_string(below(1000, random));
  if (starts_with(key.kind, "size")) return to_text(Bytes{below(std::int64_t{1} << 40, random)});
  if (starts_with(key.kind, "time")) return std::to_string(below(100'000, random)) + " us";
  if (starts_with(key.kind, "bandwidth")) return std::to_string(below(100'000, random)) + " Mb/s";
  if (starts_with(key.kind, "speed")) return std::to_string(below(5'000, random)) + " TFLOP/s";
  if (key.name == "cluster.measured_collectives") {
    return "all_gather:8:1:15us:20GB/s:40us:" + std::to_string(100 + below(100, random)) + "GB/s";
  }
  if (key.name == "cluster.collective_points") {
    return "all_reduce:2:1:1MiB:" + std::to_string(100 + below(100, random)) + "us";
  }
  if (key.name == "device.measured_kernels") return "gelu:1MiB:" + std::to_string(1 + below(99, random)) + "GB/s";
  if (key.name == "cluster.inter_node_scaling") return "2:1 8:0." + std::to_string(1 + below(9, random));
  if (key.name == "training.recompute.modules") return below(2, random) == 0 ? "core_attn mlp" : "none";
  const auto choices = split(key.kind, ", ");
  return choices[static_cast<std::size_t>(below(static_cast<std::int64_t>(choices.size()), random))];
}

}  // namespace shardsim::input::test
