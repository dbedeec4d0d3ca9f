// From flags to settings: what one flag says, and what several say together.
#pragma once

#include <string>
#include <string_view>

#include "sim/input/megatron/flag_set.hpp"

namespace shardsim::input::megatron {

/// Where rules put their results.
class Output {
 public:
  Output(Settings& settings, Problems& problems, const std::string& file)
      : settings_{settings}, problems_{problems}, file_{file} {}

  /// A value that the flag of `entry` gives.
  void give(const std::string& key, const std::string& value, const FlagSet::Entry& entry);
  /// A value chosen here.
  void assume(const std::string& key, const std::string& value, const std::string& reason);
  void warn(const FlagSet::Entry& entry, const std::string& text);
  void problem(const FlagSet::Entry& entry, const std::string& text);
  void problem(const std::string& text);
  /// The setting's value for a flag that takes one of a few texts; "" with a problem when it is none of them.
  [[nodiscard]] std::string choice(const FlagSet::Entry& entry, const std::string& text);

 private:
  Settings& settings_;
  Problems& problems_;
  const std::string& file_;
};

/// Flags that are settings by themselves.
void translate_plain_flags(const FlagSet& flags, Output& output);
/// Layers, vocabulary, heads, positions, experts, BERT's head.
void translate_model(const FlagSet& flags, const Given& given, Output& output);
/// Precision, recomputation, attention and cross-entropy kernels, fusions.
void translate_training(const FlagSet& flags, const Given& given, Output& output);
/// Schedule and sharding.
void translate_parallelism(const FlagSet& flags, const Given& given, Output& output);
/// The software stack that the flags belong to.
void translate_generation(const FlagSet& flags, Output& output);
/// Launch size and what a table row knows beside its flags.
void translate_surroundings(const FlagSet& flags, const Given& given, Output& output);

}  // namespace shardsim::input::megatron
