#include "tests/golden/transcript.hpp"

#include <algorithm>
#include <cstddef>

namespace shardsim::golden {
namespace {

/// Lines with their line feeds.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

void add_line(std::vector<Step>& steps, int number, const std::string& line) {
  if (starts_with(line, "$ ")) {
    steps.push_back({number, line.substr(2, line.find('\n') - 2), ""});
  } else if (!steps.empty()) {
    steps.back().output += line;
  }
}

using Lines = std::vector<std::string>;

bool matches_from(const Lines& expected, std::size_t e, const Lines& actual, std::size_t a) {
  if (e == expected.size()) return a == actual.size();
  if (expected[e] == "...\n") {
    for (std::size_t skipped = a; skipped <= actual.size(); ++skipped) {
      if (matches_from(expected, e + 1, actual, skipped)) return true;
    }
    return false;
  }
  return a < actual.size() && expected[e] == actual[a] && matches_from(expected, e + 1, actual, a + 1);
}

}  // namespace

std::vector<Step> steps_of_file(std::string_view text) {
  std::vector<Step> steps;
  int number = 0;
  for (const std::string& line : lines_of(text)) add_line(steps, ++number, line);
  return steps;
}

std::vector<Step> steps_of_markdown(std::string_view text) {
  std::vector<Step> steps;
  int number = 0;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (starts_with(line, "```")) {
      inside = starts_with(line, "```console");
    } else if (inside) {
      add_line(steps, number, line);
    }
  }
  return steps;
}

std::string with_output(std::string_view text, const Step& step, const std::string& output) {
  const Lines lines = lines_of(text);
  const auto first = static_cast<std::size_t>(step.line);
  const std::size_t last = first + lines_of(step.output).size();
  std::string changed;
  for (std::size_t i = 0; i < first; ++i) changed += lines[i];
  changed += output;
  for (std::size_t i = last; i < lines.size(); ++i) changed += lines[i];
  return changed;
}

bool matches(std::string_view expected, std::string_view actual) {
  return matches_from(lines_of(expected), 0, lines_of(actual), 0);
}

}  // namespace shardsim::golden
