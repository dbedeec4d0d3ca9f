// Every flag of every generation of Megatron-LM and its forks, and what it is to the simulator.
// Names are lower case, with dashes, without the leading "--"; names of the arguments dump stand beside the flags.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace shardsim::input::megatron {

enum class Arity { none, one, many };

/// A flag that bears on performance and is modelled.
struct ModelledFlag {
  std::string_view name;
  /// The name under which rules look it up; aliases share it.
  std::string_view canonical;
  Arity arity = Arity::one;
  /// The setting that it gives by itself; "" = a rule that looks at several flags decides (rules.cpp).
  std::string_view key;
  /// Switches: the setting's value when turned on, and when a dump or map says false; "" = gives nothing.
  std::string_view on;
  std::string_view off;
};

/// A flag that bears on performance and is not modelled.
struct UnmodelledFlag {
  std::string_view name;
  /// A value with which it changes nothing (the default that a dump prints); "" = none but false, None and 0.
  std::string_view harmless;
  /// What the prediction does instead.
  std::string_view instead;
};

/// A text value of a flag and the setting's value.
struct Choice {
  std::string_view canonical;
  std::string_view text;
  std::string_view value;
};

struct KnownFlag {
  std::string_view name;
  /// Both nullptr: the flag does not bear on performance.
  const ModelledFlag* modelled = nullptr;
  const UnmodelledFlag* unmodelled = nullptr;
};

/// "--Tensor_Model-parallel-size" as the table spells it.
[[nodiscard]] std::string normalized_name(const std::string& written);

/// The flag of exactly this name; nullptr when there is none.
[[nodiscard]] const KnownFlag* find_flag(std::string_view normalized);

/// The one flag that `normalized` abbreviates, as argparse allows; nullptr when none or several.
[[nodiscard]] const KnownFlag* find_abbreviated(std::string_view normalized);

/// All names, sorted.
[[nodiscard]] const std::vector<KnownFlag>& known_flags();

/// The choices of one flag; empty = any value goes.
[[nodiscard]] std::vector<Choice> choices_of(std::string_view canonical);

}  // namespace shardsim::input::megatron
