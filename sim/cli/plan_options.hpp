// The options of `shardsim plan`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/cli/predict_options.hpp"
#include "sim/input/emit/emit.hpp"
#include "sim/plan/pareto.hpp"

namespace shardsim::cli {

struct PlanOptions : ScenarioOptions {
  bool help = false;
  Format format = Format::table;
  std::string global_batch_size;
  /// "key=value" or "key=value,value…" each.
  std::vector<std::string> fixed;
  std::vector<std::string> forbidden;
  std::size_t best = 10;
  /// 0 = what the device offers.
  Bytes max_memory{0};
  /// 0 = as many as there are cores.
  int threads = 0;
  /// Beside the fastest: plans that are best in one or another way.
  std::vector<plan::Objective> objectives;
  /// Only the winner, as this framework runs it.
  std::optional<input::Framework> emit;
};

/// Throws InputError for unknown and malformed options.
[[nodiscard]] PlanOptions parse_plan_options(const Arguments& arguments);

[[nodiscard]] std::string plan_help();

}  // namespace shardsim::cli
