// The options of `shardsim size`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/cli/predict_options.hpp"
#include "sim/cli/pricing.hpp"
#include "sim/plan/largest.hpp"
#include "sim/plan/sizing.hpp"

namespace shardsim::cli {

struct SizeOptions : ScenarioOptions {
  bool help = false;
  Format format = Format::table;
  plan::Goal goal;
  plan::Reliability reliability;
  PricingOptions pricing;
  std::int64_t most_gpus = std::int64_t{1} << 17;
  std::string global_batch_size;
  /// Names of clusters; empty = that of the scenario, or all presets.
  std::vector<std::string> clusters;
  std::optional<plan::Dimension> largest;
  std::string largest_name;
};

/// Throws InputError for unknown, malformed and contradicting options.
[[nodiscard]] SizeOptions parse_size_options(const Arguments& arguments);

[[nodiscard]] std::string size_help();

}  // namespace shardsim::cli
