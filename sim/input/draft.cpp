#include "sim/input/draft.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/input/schema.hpp"
#include "sim/input/text.hpp"

namespace shardsim::input {
namespace {

bool is_placeholder(const std::string& value) {
  return value.find("${") != std::string::npos || value.find("{{") != std::string::npos;
}

std::string place_of(const Origin& origin) {
  return origin.line > 0 ? origin.file + ":" + std::to_string(origin.line) : origin.file;
}

bool is_derived(std::string_view key) {
  const auto& keys = derived_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const DerivedKey& derived) { return derived.name == key; });
}

}  // namespace

Draft::Draft(const Settings& settings, Problems problems) : problems_{std::move(problems)} {
  for (const Setting& setting : settings.all()) {
    if (setting.value == "auto") {
      left_open_.push_back(setting);
    } else {
      settings_.append(setting);
    }
  }
  scenario.warnings = settings.warnings();
}

void Draft::read_settings() {
  for (const Setting& setting : settings_.all()) read_setting(setting);
}

void Draft::read_setting(const Setting& setting) {
  const SchemaKey* key = find_key(setting.key);
  if (key == nullptr && !is_derived(setting.key)) {
    const std::string near = nearest_key(setting.key);
    reject(setting.key, "is no known key" + (near.empty() ? near : "; did you mean " + in_quotes(near) + "?"));
    return;
  }
  std::string error;
  if (is_placeholder(setting.value)) {
    error = "is an unresolved placeholder; give the value itself";
  } else if (key != nullptr) {
    error = key->read(scenario, setting.value);
  }
  if (!error.empty()) {
    reject(setting.key, error);
    distrust(setting.key);
  } else if (!setting.assumed_because.empty()) {
    scenario.assumed.push_back({setting.key, setting.value, setting.assumed_because});
  }
}

bool Draft::sound(std::initializer_list<std::string_view> keys) const {
  return std::none_of(keys.begin(), keys.end(),
                      [&](std::string_view key) { return unsound_.find(key) != unsound_.end(); });
}

void Draft::assume(std::string_view key, std::initializer_list<std::string_view> inputs,
                   const std::function<std::string()>& value, const std::string& reason) {
  if (given(key)) return;
  if (!sound(inputs)) return distrust(key);
  assume(key, value(), reason);
}

void Draft::assume(std::string_view key, std::string_view value, const std::string& reason) {
  if (given(key)) return;
  imply(key, value);
  scenario.assumed.push_back({std::string(key), std::string(value), reason + left_open(key)});
}

void Draft::imply(std::string_view key, std::initializer_list<std::string_view> inputs,
                  const std::function<std::string()>& value) {
  if (given(key)) return;
  if (!sound(inputs)) return distrust(key);
  imply(key, value());
}

void Draft::imply(std::string_view key, std::string_view value) {
  if (given(key)) return;
  const SchemaKey* known = find_key(key);
  SHARDSIM_CHECK(known != nullptr, "a default for the unknown key " + std::string(key));
  const std::string error = known->read(scenario, value);
  if (error.empty()) return;
  problems_.add({{}, std::string(key), std::string(value), "follows from the other values but " + error});
  distrust(key);
}

void Draft::reject(std::string_view key, const std::string& message) {
  const Setting* setting = find(key);
  if (setting == nullptr) {
    problems_.add({{}, std::string(key), {}, message});
  } else {
    problems_.add({setting->origin, setting->key, setting->value, message});
  }
}

void Draft::warn_of_values_left_open() {
  for (const Setting& setting : left_open_) {
    const SchemaKey* key = find_key(setting.key);
    const auto is_listed = [&](const model::Assumption& assumption) { return assumption.key == setting.key; };
    const bool listed = std::any_of(scenario.assumed.begin(), scenario.assumed.end(), is_listed);
    if (key == nullptr || listed || given(setting.key)) continue;
    warn(place_of(setting.origin) + ": " + setting.origin.name + " is \"auto\" and nothing else gives it; taken as " +
         setting.key + " = " + key->write(scenario));
  }
}

std::string Draft::left_open(std::string_view key) const {
  for (const Setting& setting : left_open_) {
    if (setting.key == key)
      return R"( (")" + setting.origin.name + R"(" is "auto" in )" + place_of(setting.origin) + ")";
  }
  return {};
}

}  // namespace shardsim::input
