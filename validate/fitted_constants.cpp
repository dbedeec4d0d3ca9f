#include "validate/fitted_constants.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

namespace shardsim::validate {
namespace {

const std::regex& fitted_key() {
  static const std::regex key{
      "stack\\.(memory_bound_slowdown|host\\..*|saved\\..*|logit_bytes\\..*|allocator\\.(fragmentation|ring_attention_"
      "blocks)|alibi_attention_slowdown)"
      "|device\\.(kernel_latency|sustained_slowdown|gemm\\.(?!.*(peak|tile)).*|attention\\..*|memory_bound\\..*)"
      "|cluster\\.(collective_slowdown|measured_collectives|.*efficiency|.*latency)"};
  return key;
}

bool is_neutral(const std::string& key, const std::string& value) {
  const bool factor = key.find("slowdown") != std::string::npos;
  return std::strtod(value.c_str(), nullptr) == (factor ? 1.0 : 0.0);
}

/// "device.gemm.bf16.efficiency" -> "device.gemm.efficiency"
std::string without_format(const std::string& key) {
  static const std::regex format{R"(\.gemm\.[a-z0-9]+\.)"};
  return std::regex_replace(key, format, ".gemm.");
}

/// "all_reduce:8:1:16.5us:116GB/s" holds two: what has a unit, not names and counts of ranks.
std::size_t quantities_in(std::string table) {
  std::replace(table.begin(), table.end(), ':', ' ');
  std::istringstream words{table};
  std::size_t count = 0;
  for (std::string word; words >> word;) {
    const bool number = std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
    if (number && std::any_of(word.begin(), word.end(), is_letter)) ++count;
  }
  return count;
}

std::size_t fitted_of_kind(const std::vector<input::Preset>& presets, const std::string& kind) {
  std::set<std::pair<std::string, std::string>> seen;
  std::size_t count = 0;
  for (const input::Preset& preset : presets) {
    if (preset.kind != kind) continue;
    Problems ignored;
    const input::Settings settings = input::read_scenario(preset.text, preset.name, ignored);
    for (const input::Setting& setting : settings.all()) {
      if (!std::regex_match(setting.key, fitted_key())) continue;
      const bool table = setting.key == "cluster.measured_collectives";
      if (!table && is_neutral(setting.key, setting.value)) continue;
      if (!seen.emplace(without_format(setting.key), setting.value).second) continue;
      count += table ? quantities_in(setting.value) : 1;
    }
  }
  return count;
}

}  // namespace

FittedConstants fitted_constants(const std::vector<input::Preset>& presets) {
  return {fitted_of_kind(presets, "stacks"), fitted_of_kind(presets, "devices"), fitted_of_kind(presets, "clusters")};
}

}  // namespace shardsim::validate
