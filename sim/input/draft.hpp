// A scenario while it is being resolved: values read so far, and which of them can be trusted.
#pragma once

#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "sim/base/problems.hpp"
#include "sim/input/settings.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::input {

/// A key is sound when its value is known and readable. Defaults and rules look only at sound values, so that one
/// mistake gives one problem and every other mistake is still found.
class Draft {
 public:
  Draft(const Settings& settings, Problems problems);

  model::Scenario scenario;

  /// Reads every setting into its field: unreadable values and unknown keys become problems.
  void read_settings();

  /// A value was given by the user, by a preset or by a reader.
  [[nodiscard]] bool given(std::string_view key) const { return settings_.find(key) != nullptr; }
  [[nodiscard]] const Setting* find(std::string_view key) const { return settings_.find(key); }
  [[nodiscard]] bool sound(std::initializer_list<std::string_view> keys) const;
  void distrust(std::string_view key) { unsound_.emplace(key); }

  /// A value for a key that was not given, computed from sound `inputs`; listed as assumed.
  void assume(std::string_view key, std::initializer_list<std::string_view> inputs,
              const std::function<std::string()>& value, const std::string& reason);
  void assume(std::string_view key, std::string_view value, const std::string& reason);
  /// The same without listing: the value follows from what was given.
  void imply(std::string_view key, std::initializer_list<std::string_view> inputs,
             const std::function<std::string()>& value);
  void imply(std::string_view key, std::string_view value);

  /// A problem at the place where the key was given.
  void reject(std::string_view key, const std::string& message);
  void warn(std::string warning) { scenario.warnings.push_back(std::move(warning)); }
  /// A warning for every value that was left open ("auto"), was not given elsewhere and was not listed as assumed.
  void warn_of_values_left_open();
  /// Where a reader left the key to others ("auto"), for messages; "" = nowhere.
  [[nodiscard]] std::string left_open(std::string_view key) const;

  [[nodiscard]] const Problems& problems() const { return problems_; }

 private:
  void read_setting(const Setting& setting);

  Settings settings_;
  std::vector<Setting> left_open_;
  Problems problems_;
  std::set<std::string, std::less<>> unsound_;
};

}  // namespace shardsim::input
