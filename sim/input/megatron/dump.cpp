#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>

#include "sim/input/megatron/shapes.hpp"
#include "sim/input/megatron/values.hpp"

namespace shardsim::input::megatron {
namespace {

struct DumpLine {
  std::string name;
  std::string value;
};

/// "… name ..... value": the name is the last word before a run of dots between blanks.
std::optional<DumpLine> dump_line(std::string_view line) {
  const std::size_t dots = line.find(" .");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::size_t after = line.find_first_not_of('.', dots + 1);
  if (after == std::string_view::npos || line[after] != ' ') return std::nullopt;
  const std::size_t begin = line.find_last_of(" \t]:", dots - (dots > 0 ? 1 : 0));
  std::string_view name = line.substr(0, dots);
  if (begin != std::string_view::npos && begin < dots) name.remove_prefix(begin + 1);
  const auto is_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (name.size() < 2 || !std::all_of(name.begin(), name.end(), is_name)) return std::nullopt;
  std::string_view value = line.substr(after + 1);
  while (!value.empty() && std::isspace(static_cast<unsigned char>(value.back())) != 0) value.remove_suffix(1);
  return DumpLine{std::string(name), std::string(value)};
}

template <class Use>
void for_each_line(std::string_view text, Use use) {
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    use(text.substr(begin, end - begin), ++number);
    begin = end + 1;
  }
}

bool is_dump(std::string_view text) {
  int lines = 0;
  bool size_named = false;
  for_each_line(text, [&](std::string_view line, int) {
    if (const auto entry = dump_line(line)) {
      ++lines;
      size_named = size_named || entry->name == "hidden_size" || entry->name == "num_layers";
    }
  });
  return lines >= 2 && size_named;
}

/// The first line that says something, without blanks in front.
std::string_view first_content(std::string_view text) {
  std::string_view found;
  for_each_line(text, [&](std::string_view line, int) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (found.empty() && begin != std::string_view::npos && line[begin] != '#') found = line.substr(begin);
  });
  return found;
}

/// "key:" or "key: value" with a plain or quoted key.
bool is_yaml_entry(std::string_view line) {
  if (line.substr(0, 3) == "---" && line.find_first_not_of("- \r") == std::string_view::npos) return true;
  std::size_t end = 0;
  const auto in_key = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '"' || c == '\'';
  };
  while (end < line.size() && in_key(static_cast<unsigned char>(line[end]))) ++end;
  while (end < line.size() && line[end] == ' ') ++end;
  return end > 0 && end < line.size() && line[end] == ':' &&
         (end + 1 == line.size() || line[end + 1] == ' ' || line[end + 1] == '\r');
}

}  // namespace

Shape shape_of(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return Shape::empty;
  const auto is_binary = [](char c) {
    return (c >= 0 && c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\x1b') || c == '\x7f';
  };
  if (std::any_of(text.begin(), text.end(), is_binary)) return Shape::binary;
  const std::string_view first = first_content(text);
  if (text[begin] == '{' ||
      (text[begin] == '[' && text.find_first_not_of(" \t\r\n", begin + 1) != std::string_view::npos &&
       text[text.find_first_not_of(" \t\r\n", begin + 1)] == '{'))
    return Shape::json;
  if (is_dump(text)) return Shape::dump;
  return is_yaml_entry(first) ? Shape::yaml : Shape::shell;
}

Given read_dump(std::string_view text) {
  Given given;
  given.complete = true;
  for_each_line(text, [&](std::string_view line, int number) {
    const auto entry = dump_line(line);
    if (!entry) return;
    std::vector<Word> words = python_words(entry->value, number);
    if (!words.empty()) given.flags.push_back({entry->name, number, std::move(words)});
  });
  return given;
}

}  // namespace shardsim::input::megatron
