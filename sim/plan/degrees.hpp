// The choices that a plan makes: how one job is divided over GPUs, and what it recomputes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

/// The same in place: `scenario` is `base` with any other choice.
void set_degrees(model::Scenario& scenario, const model::Scenario& base, const Degrees& degrees);

enum class Reason {
  none,
  data_parallel_size,
  gpus,
  batch,
  heads,
  ffn,
  query_groups,
  no_tensor_parallelism,
  sequence,
  travelling_heads,
  zero_with_pipeline,
  instances,
  schedule,
  single_stage,
  few_micro_batches,
  multiple_of_pipeline,
  small_group,
  remainder,
  layers,
};
inline constexpr std::size_t kReasons = static_cast<std::size_t>(Reason::layers) + 1;

/// In a few words; empty for none.
[[nodiscard]] std::string_view reason_text(Reason reason);

/// What speaks against a scenario's shape (GPUs, batch, heads, sequence), whatever its schedule, chunks and ZeRO stage;
/// against its ZeRO stage; and against its schedule and chunks, layers apart.
[[nodiscard]] Reason against_shape(const model::Scenario& scenario);
[[nodiscard]] Reason against_sharding(const model::Scenario& scenario);
[[nodiscard]] Reason against_schedule(const model::Scenario& scenario);

/// Whether the stack's software can do what a scenario asks of it.
[[nodiscard]] bool is_able(const model::Scenario& scenario);

/// Why a scenario cannot run, in the words of reason_text(); empty = it can.
/// Agrees with what resolving the same values from an input file would refuse.
[[nodiscard]] std::string why_impossible(const model::Scenario& scenario);

}  // namespace shardsim::plan
