// A JSON row whose missing keys, nulls and wrong types read as "not given".
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/base/problems.hpp"
#include "sim/input/settings.hpp"

namespace shardsim::validate {

using Json = nlohmann::json;

/// nullptr where any step of the path is missing or null.
inline const Json* at(const Json& row, std::initializer_list<const char*> path) {
  const Json* here = &row;
  for (const char* key : path) {
    if (!here->is_object()) return nullptr;
    const auto next = here->find(key);
    if (next == here->end() || next->is_null()) return nullptr;
    here = &*next;
  }
  return here;
}

inline std::optional<double> number(const Json& row, std::initializer_list<const char*> path) {
  const Json* value = at(row, path);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

inline std::optional<std::int64_t> integer(const Json& row, std::initializer_list<const char*> path) {
  const Json* value = at(row, path);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  if (value->is_number_integer()) return value->get<std::int64_t>();
  // "16.0" is a whole number too.
  const auto written = value->get<double>();
  if (std::abs(written) > 1e15 || std::trunc(written) != written) return std::nullopt;
  return static_cast<std::int64_t>(written);
}

inline std::string text(const Json& row, std::initializer_list<const char*> path) {
  const Json* value = at(row, path);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string{};
}

inline std::optional<bool> flag(const Json& row, std::initializer_list<const char*> path) {
  const Json* value = at(row, path);
  if (value == nullptr || !value->is_boolean()) return std::nullopt;
  return value->get<bool>();
}

/// Fills settings from one row; every value keeps the row's file and line as its origin.
class SettingWriter {
 public:
  SettingWriter(input::Settings& settings, std::string file, int line)
      : settings_{settings}, file_{std::move(file)}, line_{line} {}

  void set(const char* key, const std::string& value) { settings_.set({key, value, {file_, line_, ""}, ""}); }
  void set(const char* key, std::optional<std::int64_t> value) {
    if (value) set(key, std::to_string(*value));
  }
  void set(const char* key, std::optional<bool> value) {
    if (value) set(key, std::string{*value ? "true" : "false"});
  }
  /// A null field resolved by a rule of framework and year.
  void assume(const char* key, const std::string& value, const std::string& reason) {
    settings_.set({key, value, {file_, line_, ""}, reason});
  }

 private:
  input::Settings& settings_;
  std::string file_;
  int line_;
};

}  // namespace shardsim::validate
