// The options of `shardsim predict`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/cli/command.hpp"
#include "sim/cli/play_options.hpp"

namespace shardsim::cli {

enum class Format { table, json, csv };

/// What a scenario is collected from, as given; empty = not given. Files may be "-" (standard input).
struct ScenarioOptions {
  /// Whose help a message points to.
  std::string_view command = "predict";
  /// A TOML file or the name of a run preset.
  std::string scenario;
  std::string megatron;
  std::string hf_config;
  std::string deepspeed_config;
  std::string model;
  std::string cluster;
  std::string stack;
  std::string device;
  std::string gpus;
  /// Megatron-LM flags that stand on the command line themselves, as a shell would read them.
  std::string flags;
  /// "section.key=value" each.
  std::vector<std::string> set;
};

struct PredictOptions : ScenarioOptions {
  bool help = false;
  Format format = Format::table;
  PlayOptions play;
};

/// Throws InputError for unknown or malformed options, in the name of `command`.
[[nodiscard]] PredictOptions parse_predict_options(const Arguments& arguments, std::string_view command = "predict");

/// Names of the options that say what is predicted, without dashes; each takes a value.
[[nodiscard]] std::vector<std::string> scenario_option_names();

[[nodiscard]] std::string predict_help();

}  // namespace shardsim::cli
