// The options of `shardsim validate --log`.
#pragma once

#include <string>
#include <vector>

#include "sim/cli/predict_options.hpp"

namespace shardsim::validate::log {

struct LogOptions {
  bool help = false;
  /// Files, folders, or "-".
  std::vector<std::string> logs;
  /// The profile to write; empty = none.
  std::string fit;
  bool json = false;
  cli::ScenarioOptions scenario;
};

/// Whether the arguments of `validate` ask for a log.
[[nodiscard]] bool asks_for_log(const std::vector<std::string>& arguments);

/// Throws InputError for unknown, malformed and contradicting options.
[[nodiscard]] LogOptions parse_log_options(const std::vector<std::string>& arguments);

[[nodiscard]] std::string log_help();

}  // namespace shardsim::validate::log
