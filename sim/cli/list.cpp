#include "sim/cli/list.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>

#include "sim/input/scenario_file.hpp"

namespace shardsim::cli {
namespace {

constexpr const char* kHelp =
    "Lists the presets that come with the program, one line each.\n\n"
    "Usage: shardsim list [models|clusters|devices|stacks|runs]\n\n"
    "Examples:\n"
    "  shardsim list             every preset\n"
    "  shardsim list clusters    names for --cluster\n"
    "  shardsim list runs        names for shardsim predict <run>\n";

/// The preset's `title = "…"`, or else its first comment.
std::string title_of(std::string_view text) {
  std::string comment;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.rfind("title", 0) == 0) {
      const std::size_t first = line.find('"');
      const std::size_t last = line.rfind('"');
      if (first < last) return std::string(line.substr(first + 1, last - first - 1));
    }
    if (comment.empty() && line.rfind("# ", 0) == 0) comment = line.substr(2);
  }
  return comment;
}

void print_kind(const std::string& kind) {
  std::size_t width = 0;
  for (const input::Preset& preset : input::presets()) {
    if (preset.kind == kind) width = std::max(width, preset.name.size());
  }
  for (const input::Preset& preset : input::presets()) {
    if (preset.kind != kind) continue;
    std::cout << "  " << std::left << std::setw(static_cast<int>(width) + 2) << preset.name << title_of(preset.text)
              << '\n';
  }
}

}  // namespace

int run_list(const Arguments& arguments) {
  static const std::vector<std::string> kinds = {"models", "clusters", "devices", "stacks", "runs"};
  if (arguments.size() > 1) usage_error("list", "one kind at most is expected");
  if (arguments.empty()) {
    for (const std::string& kind : kinds) {
      std::cout << kind << ":\n";
      print_kind(kind);
    }
    return kSuccess;
  }
  const std::string& kind = arguments.front();
  if (kind == "--help" || kind == "-h") {
    std::cout << kHelp;
    return kSuccess;
  }
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    usage_error("list", "there are no presets called `" + kind + "`" + suggestion(kind, kinds) +
                            "; the kinds are models, clusters, devices, stacks, runs");
  }
  print_kind(kind);
  return kSuccess;
}

}  // namespace shardsim::cli
