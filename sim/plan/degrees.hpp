// The choices that a plan makes: how one job is divided over GPUs, and what it recomputes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/model/scenario.hpp"

namespace shardsim::plan {

/// One choice for a job. The data-parallel size follows from the number of GPUs.
struct Degrees {
  std::int64_t tensor_model_parallel_size = 1;
  std::int64_t pipeline_model_parallel_size = 1;
  std::int64_t virtual_pipeline_model_parallel_size = 1;
  std::int64_t context_parallel_size = 1;
  std::int64_t micro_batch_size = 1;
  model::RecomputeGranularity recompute_granularity = model::RecomputeGranularity::none;
  bool sequence_parallel = false;
  int zero_stage = 0;
  model::Schedule schedule = model::Schedule::one_f_one_b;

  bool operator==(const Degrees&) const = default;
};

/// The choice that a scenario makes.
[[nodiscard]] Degrees degrees_of(const model::Scenario& scenario);

/// `base` with another choice on its own number of GPUs; all else stays, but a group of interleaved micro batches that
/// had the pipeline's size goes on having it. Precondition: the degrees divide base.gpus.
[[nodiscard]] model::Scenario with_degrees(const model::Scenario& base, const Degrees& degrees);

/// Why a scenario cannot run, in a few words that are the same for all scenarios with this reason; empty = it can.
/// Agrees with what resolving the same values from an input file would refuse.
[[nodiscard]] std::string why_impossible(const model::Scenario& scenario);

}  // namespace shardsim::plan
