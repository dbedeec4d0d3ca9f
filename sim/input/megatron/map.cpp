#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/input/megatron/shapes.hpp"
#include "sim/input/megatron/values.hpp"

namespace shardsim::input::megatron {
namespace {

using nlohmann::json;

/// A value as a person writes it: 1e-05, true, text without quotes. What no flag takes is only named: printing a list
/// or a map of any depth would take as deep a stack.
std::string text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_structured()) return value.is_array() ? "[…]" : "{…}";
  return value.is_null() ? std::string() : value.dump();
}

std::vector<Word> words_of(const json& value) {
  if (!value.is_array()) return python_words(text_of(value), 0);
  std::vector<Word> words;
  for (const json& item : value) {
    for (Word& word : python_words(text_of(item), 0)) words.push_back(std::move(word));
  }
  return words;
}

void add_flag(Given& given, std::string name, int line, std::vector<Word> words) {
  if (!words.empty()) given.flags.push_back({std::move(name), line, std::move(words)});
}

void read_json_flags(const json& map, Given& given) {
  for (const auto& [name, value] : map.items()) {
    if (value.is_object()) {
      for (const auto& [inner_name, inner] : value.items()) add_flag(given, inner_name, 0, words_of(inner));
    } else {
      add_flag(given, name, 0, words_of(value));
    }
  }
}

void read_row(const json& row, Given& given) {
  read_json_flags(row.at("model_args"), given);
  if (row.contains("env") && row.at("env").is_object()) {
    for (const auto& [name, value] : row.at("env").items()) given.environment[name] = text_of(value);
  }
  const auto field = [&](const char* name) { return row.contains(name) ? text_of(row.at(name)) : std::string(); };
  given.row = RunRow{field("case"), field("family"), field("platform")};
  if (row.contains("world_size_from_recipe") && row.at("world_size_from_recipe").is_number_integer()) {
    given.size = LaunchSize{row.at("world_size_from_recipe").get<std::int64_t>(), 0, "world size of the test recipe"};
  }
}

/// The whole text as one value, else its first line (JSON Lines).
std::optional<json> first_json(std::string_view text, Given& given, std::string& error) {
  try {
    json whole = json::parse(text.begin(), text.end());
    if (whole.is_array() && !whole.empty()) {
      if (whole.size() > 1)
        given.warnings.emplace_back("the file holds " + std::to_string(whole.size()) + " rows: the first is read");
      return whole.front();
    }
    return whole;
  } catch (const json::exception& failure) {
    error = failure.what();
  }
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const std::size_t end = text.find('\n', begin);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(begin, end - begin);
  json row = json::parse(line.begin(), line.end(), nullptr, false);
  if (row.is_discarded()) return std::nullopt;
  given.warnings.emplace_back("the file holds several rows: the first is read");
  return row;
}

struct YamlReader {
  Given& given;

  static std::string scalar(const YAML::Node& node) { return node.IsScalar() ? node.Scalar() : std::string(); }

  void read_flags(const YAML::Node& map, int depth) {
    constexpr int kDeepest = 3;
    for (const auto& entry : map) {
      const std::string name = scalar(entry.first);
      const int line = entry.first.Mark().line + 1;
      if (entry.second.IsMap() && depth < kDeepest) {
        read_flags(entry.second, depth + 1);
      } else if (entry.second.IsSequence()) {
        std::vector<Word> words;
        for (const auto& item : entry.second) {
          for (Word& word : python_words(scalar(item), line)) words.push_back(std::move(word));
        }
        add_flag(given, name, line, std::move(words));
      } else if (entry.second.IsScalar()) {
        add_flag(given, name, line, python_words(entry.second.Scalar(), line));
      }
    }
  }

  void read(const YAML::Node& root) {
    if (!root["MODEL_ARGS"]) return read_flags(root, 0);
    if (root["MODEL_ARGS"].IsMap()) read_flags(root["MODEL_ARGS"], 0);
    if (!root["ENV_VARS"] || !root["ENV_VARS"].IsMap()) return;
    for (const auto& entry : root["ENV_VARS"]) given.environment[scalar(entry.first)] = scalar(entry.second);
  }
};

}  // namespace

Given read_json(std::string_view text, const std::string& file, Problems& problems) {
  Given given;
  std::string error = "no map of flags to values";
  std::optional<json> value = first_json(text, given, error);
  if (!value || !value->is_object()) {
    problems.add({{file, 0, ""}, "", "", "not readable as JSON: " + (value ? "the value is no map of flags" : error)});
    return given;
  }
  if (value->contains("model_args") && value->at("model_args").is_object()) {
    read_row(*value, given);
  } else {
    read_json_flags(*value, given);
  }
  return given;
}

Given read_yaml(std::string_view text, const std::string& file, Problems& problems) {
  Given given;
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    if (root.IsMap()) {
      YamlReader{given}.read(root);
    } else {
      problems.add({{file, 0, ""}, "", "", "the YAML text is no map of flags to values"});
    }
  } catch (const YAML::Exception& failure) {
    problems.add({{file, failure.mark.line + 1, ""}, "", "", "not readable as YAML: " + failure.msg});
  }
  return given;
}

}  // namespace shardsim::input::megatron
