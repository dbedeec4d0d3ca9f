// What to change when a job does not fit: the smallest single changes that make it fit, each predicted.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/prediction.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::plan {

/// One change of a scenario, and what it leads to.
struct Change {
  /// "micro batch 2 instead of 8", "tensor parallel 8 instead of 1, on 8 GPUs".
  std::string description;
  /// As Megatron-LM takes them: "--micro-batch-size 2".
  std::vector<std::string> flags;
  model::Scenario scenario;
  engine::Prediction prediction;
  /// GPU time of an iteration over that of the unchanged scenario, minus one.
  double time_cost = 0.0;
};

inline constexpr std::size_t kMostChanges = 3;

/// Of each kind of change (micro batch, recomputation, sequence parallelism, ZeRO, tensor and pipeline parallelism)
/// the smallest step that fits, if any does; at most kMostChanges, cheapest in time first. More tensor or pipeline
/// parallelism comes out of the data-parallel size where that is even, else out of more GPUs.
[[nodiscard]] std::vector<Change> changes_that_fit(const model::Scenario& scenario);

}  // namespace shardsim::plan
