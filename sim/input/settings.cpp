#include "sim/input/settings.hpp"

#include <algorithm>
#include <utility>

namespace shardsim::input {

void Settings::set(Setting setting) {
  const auto same_key = [&](const Setting& known) { return known.key == setting.key; };
  const auto known = std::find_if(settings_.begin(), settings_.end(), same_key);
  if (known == settings_.end()) {
    settings_.push_back(std::move(setting));
  } else if (setting.assumed_because.empty() || !known->assumed_because.empty()) {
    *known = std::move(setting);
  }
}

void Settings::merge(const Settings& other) {
  for (const Setting& setting : other.settings_) set(setting);
  warnings_.insert(warnings_.end(), other.warnings_.begin(), other.warnings_.end());
}

const Setting* Settings::find(std::string_view key) const {
  const auto same_key = [&](const Setting& known) { return known.key == key; };
  const auto known = std::find_if(settings_.begin(), settings_.end(), same_key);
  return known == settings_.end() ? nullptr : &*known;
}

}  // namespace shardsim::input
