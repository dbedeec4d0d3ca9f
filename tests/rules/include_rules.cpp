#include "tests/rules/include_rules.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace shardsim::rules {
namespace {

using Names = std::set<std::string>;

/// Folders of sim/ that a folder may include beside itself. The command line may include all of them.
const std::map<std::string, Names>& lower_folders() {
  static const std::map<std::string, Names> lower = {
      {"base", {}},
      {"hardware", {"base"}},
      {"model", {"base", "hardware"}},
      {"cost", {"base", "hardware", "model"}},
      {"schedule", {"base", "model"}},
      {"memory", {"base", "hardware", "model", "schedule"}},
      {"engine", {"base", "hardware", "model", "cost", "memory", "schedule"}},
      {"plan", {"base", "hardware", "model", "cost", "memory", "schedule", "engine"}},
      {"report", {"base", "hardware", "model", "cost", "memory", "schedule", "engine", "plan"}},
      {"input", {"base", "hardware", "model"}},
      {"cli", {"base", "hardware", "model", "cost", "memory", "schedule", "engine", "plan", "report", "input"}},
  };
  return lower;
}

/// Third-party libraries, by the first folder of their headers, and operating-system headers (".h").
const std::map<std::string, Names>& third_parties() {
  static const std::map<std::string, Names> allowed = {
      {"input", {"toml++", "nlohmann", "yaml-cpp"}}, {"report", {"nlohmann"}}, {"cli", {"boost", "unistd.h"}}};
  return allowed;
}

/// Standard headers that libc++ 13 or g++ 12 lack or have in part: the core must build with both.
const Names& unportable_headers() {
  static const Names headers = {"<ranges>",    "<format>",     "<source_location>", "<memory_resource>",
                                "<execution>", "<stop_token>", "<expected>",        "<print>",
                                "<generator>", "<syncstream>", "<stacktrace>",      "<coroutine>"};
  return headers;
}

/// "sim/cost/gemm.cpp" -> "cost"; main.cpp counts as the command line.
std::string folder_of(const std::string& path) {
  const std::size_t first = path.find('/');
  const std::size_t second = path.find('/', first + 1);
  return second == std::string::npos ? "cli" : path.substr(first + 1, second - first - 1);
}

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

bool crosses_engines(const Include& include) {
  const auto pair = [&](std::string_view from, std::string_view to) {
    return starts_with(include.file, from) && starts_with(include.header, to);
  };
  return pair("sim/engine/closed_form", "sim/engine/event") || pair("sim/engine/event", "sim/engine/closed_form");
}

std::string quoted_violation(const Include& include) {
  if (!starts_with(include.header, "sim/")) return "sim/ includes only sim/, by its full path";
  if (crosses_engines(include)) return "the two engines never include each other";
  const std::string from = folder_of(include.file);
  const std::string to = folder_of(include.header);
  const auto rule = lower_folders().find(from);
  if (rule == lower_folders().end()) return "folder " + from + " has no rule";
  return from == to || rule->second.count(to) > 0 ? "" : from + " must not include " + to;
}

std::string angled_violation(const Include& include) {
  const std::string from = folder_of(include.file);
  const bool standard = include.header.find_first_of("/.") == std::string::npos;
  if (standard) {
    const bool core = from != "input" && from != "report" && from != "cli";
    const bool unportable = unportable_headers().count("<" + include.header + ">") > 0;
    return core && unportable ? "the core does without <" + include.header + ">" : "";
  }
  const std::string library = include.header.substr(0, include.header.find('/'));
  const auto allowed = third_parties().find(from);
  return allowed != third_parties().end() && allowed->second.count(library) > 0 ? ""
                                                                                : from + " must not use " + library;
}

}  // namespace

std::vector<Include> includes_of(const std::string& file, std::string_view text) {
  std::vector<Include> includes;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line.erase(std::remove_if(line.begin(), line.end(), [](char c) { return c == ' ' || c == '\t'; }), line.end());
    constexpr std::string_view kInclude = "#include";
    if (!starts_with(line, kInclude) || line.size() <= kInclude.size()) continue;
    const char open = line[kInclude.size()];
    const std::size_t end = line.find(open == '<' ? '>' : '"', kInclude.size() + 1);
    includes.push_back({file, number, line.substr(kInclude.size() + 1, end - kInclude.size() - 1), open == '"'});
  }
  return includes;
}

std::string violation(const Include& include) {
  return include.quoted ? quoted_violation(include) : angled_violation(include);
}

}  // namespace shardsim::rules
