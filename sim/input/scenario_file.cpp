#include "sim/input/scenario_file.hpp"

// toml++ 3 asserts (or, with NDEBUG, lets the compiler assume) that "[" is followed by a key, and has a proper error
// for anything else a few lines later: no assertions, no assumptions, only the error.
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/input/units.hpp"

namespace shardsim::input {
namespace {

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

/// A float keeps a sign of being one, so that 8.0 is not taken for the whole number 8.
std::string float_text(double value) {
  std::string text = to_text(value);
  const bool looks_whole = std::isfinite(value) && text.find_first_of(".e") == std::string::npos;
  return looks_whole ? text + ".0" : text;
}

/// The text of a value, or nothing for kinds of values that no setting has (dates, tables inside lists).
std::optional<std::string> value_text(const toml::node& node);

/// Elements with blanks between; a list inside a list is a point: [[2, 1.0], [4, 0.9]] is "2:1.0 4:0.9".
std::optional<std::string> list_text(const toml::array& list, char between) {
  std::string text;
  for (const toml::node& element : list) {
    const toml::array* point = element.as_array();
    if (point != nullptr && between == ':') return {};
    const auto element_text = point != nullptr ? list_text(*point, ':') : value_text(element);
    if (!element_text) return {};
    if (!text.empty()) text += between;
    text += *element_text;
  }
  return text;
}

std::optional<std::string> value_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return to_text(std::int64_t{number->get()});
  if (const auto* number = node.as_floating_point()) return float_text(number->get());
  if (const auto* flag = node.as_boolean()) return to_text(flag->get());
  if (const auto* list = node.as_array()) return list_text(*list, ' ');
  return {};
}

/// What toml++ 3 must not see, and its line: it has undefined behaviour on some characters beyond ASCII outside of
/// strings and comments (typographic quotes, say), where TOML has none, and behind a line-ending backslash; and it
/// makes a table of every dot of a key, as deep as the key is long.
struct Unreadable {
  int line = 0;
  const char* why = "";
};
Unreadable unreadable_part(std::string_view text) {
  constexpr int kMostDots = 16;
  int line = 1;
  int dots = 0;
  // The quotes that end the open string; empty outside of strings.
  std::string_view end;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') {
      ++line;
      dots = 0;
      // A string of one line ends with it, by a mistake that toml++ reports.
      if (end.size() == 1) end = {};
    } else if (!end.empty()) {
      if (c == '\\' && end[0] == '"') {
        const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
        const bool ends_line = text.substr(at + 1, next - at - 1).find('\n') != std::string_view::npos;
        if (ends_line && next < text.size() && static_cast<unsigned char>(text[next]) >= 0x80) {
          return {line, "a character other than ASCII follows a backslash at the end of a line"};
        }
        // An escaped line break still counts.
        if (at + 1 < text.size() && text[at + 1] != '\n') ++at;
      } else if (text.substr(at, end.size()) == end) {
        at += end.size() - 1;
        end = {};
      }
    } else if (c == '"' || c == '\'') {
      const bool triple = text.substr(at, 3) == std::string(3, c);
      end = text.substr(at, triple ? 3 : 1);
      at += end.size() - 1;
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      return {line, "a character other than ASCII stands outside of quotes"};
    } else if (c == '.' && ++dots > kMostDots) {
      return {line, "a key has too many parts"};
    } else if (c == ',' || c == '=' || c == '{') {
      dots = 0;
    }
  }
  return {};
}

class Reader {
 public:
  Reader(const std::string& file, Settings& settings, Problems& problems)
      : file_{file}, settings_{settings}, problems_{problems} {}

  void read(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
      if (const auto* inner = node.as_table()) {
        read(*inner, name);
      } else {
        read_value(name, node);
      }
    }
  }

 private:
  void read_value(const std::string& name, const toml::node& node) {
    const Origin origin{file_, line_of(node), name};
    auto text = value_text(node);
    if (!text) {
      problems_.add({origin, name, {}, "must be text, a number, true, false or a list of them"});
      return;
    }
    settings_.set({canonical_key(name), std::move(*text), origin, {}});
  }

  const std::string& file_;
  Settings& settings_;
  Problems& problems_;
};

}  // namespace

std::string canonical_key(std::string_view key) {
  constexpr std::string_view kClusterDevice = "cluster.device";
  if (key == "gpus") return "cluster.gpus";
  if (key == "device.hbm_capacity") return "device.memory_capacity";
  if (key == "device.hbm_bandwidth") return "device.memory_bandwidth";
  if (key == "cluster.nic_bandwidth") return "cluster.inter_node.bandwidth";
  if (key == "cluster.nvlink_bandwidth") return "cluster.intra_node.bandwidth";
  if (key == kClusterDevice) return "device.preset";
  if (key.rfind("cluster.device.", 0) == 0) return "device" + std::string(key.substr(kClusterDevice.size()));
  for (const std::string_view section : {"model", "stack", "cluster", "device"}) {
    if (key == section) return std::string(section) + ".preset";
  }
  return std::string(key);
}

Settings read_scenario(std::string_view text, const std::string& file, Problems& problems) {
  Settings settings;
  if (text.find('\0') != std::string_view::npos) {
    problems.add({{file, 0, {}}, {}, {}, "is no text file (it holds zero bytes); a scenario file is TOML"});
    return settings;
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  if (const Unreadable part = unreadable_part(text); part.line > 0) {
    problems.add({{file, part.line, {}}, {}, {}, std::string("is no valid TOML: ") + part.why});
    return settings;
  }
  const toml::parse_result result = toml::parse(text);
  if (!result) {
    const toml::parse_error& error = result.error();
    const int line = static_cast<int>(error.source().begin.line);
    problems.add({{file, line, {}}, {}, {}, "is no valid TOML: " + std::string(error.description())});
    return settings;
  }
  if (result.table().empty()) {
    problems.add({{file, 0, {}}, {}, {}, "is empty; a scenario file needs [model], [training] and the like"});
    return settings;
  }
  Reader(file, settings, problems).read(result.table(), {});
  return settings;
}

}  // namespace shardsim::input
