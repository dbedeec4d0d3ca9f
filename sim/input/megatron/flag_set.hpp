// The flags of one input, checked one by one and looked up by name.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/problems.hpp"
#include "sim/input/megatron/flag_table.hpp"
#include "sim/input/megatron/given.hpp"
#include "sim/input/settings.hpp"

namespace shardsim::input::megatron {

class FlagSet {
 public:
  /// Unknown, abbreviated and unmodelled flags become warnings of `settings`; missing values and unresolved variables
  /// in modelled flags become problems, and those flags are left out.
  FlagSet(const Given& given, const std::string& file, Settings& settings, Problems& problems);

  struct Entry {
    const ModelledFlag* flag = nullptr;
    FlagUse use;
  };

  /// The last use of a flag or any alias of it; nullptr when it was not given.
  [[nodiscard]] const Entry* find(std::string_view canonical) const;
  /// A switch that was given and not as false.
  [[nodiscard]] bool on(std::string_view canonical) const;
  /// A switch that a dump or map gives as false.
  [[nodiscard]] bool off(std::string_view canonical) const;
  /// The value of a flag, "" when not given.
  [[nodiscard]] std::string value(std::string_view canonical) const;
  /// Whether any flag of this very name (not an alias) was given, and not as false.
  [[nodiscard]] bool names(std::string_view name) const { return names_.find(name) != names_.end(); }
  /// Modelled flags in the order in which they were first given.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  void add(const FlagUse& use, const std::string& file, Settings& settings, Problems& problems);
  void add_modelled(const ModelledFlag& flag, FlagUse use, const std::string& file, Settings& settings,
                    Problems& problems);

  std::vector<Entry> entries_;
  std::set<std::string, std::less<>> names_;
  std::vector<std::string> unknown_in_dump_;
  bool complete_ = false;
};

}  // namespace shardsim::input::megatron
