#include "sim/schedule/in_flight.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace shardsim::schedule {

namespace {

std::int64_t group_size(const model::Parallelism& parallelism) {
  const std::int64_t given = parallelism.microbatch_group_size_per_virtual_pipeline_stage;
  return given > 0 ? given : parallelism.pipeline_model_parallel_size;
}

}  // namespace

bool is_interleaved(const model::Parallelism& parallelism) {
  return parallelism.schedule != model::Schedule::gpipe && parallelism.virtual_pipeline_model_parallel_size > 1;
}

std::int64_t chunks_in_flight(const model::Parallelism& parallelism, std::int64_t micro_batches, std::int64_t stage) {
  using model::Schedule;
  const std::int64_t p = parallelism.pipeline_model_parallel_size;
  const std::int64_t v = parallelism.virtual_pipeline_model_parallel_size;
  const std::int64_t m = micro_batches;
  SHARDSIM_CHECK(stage >= 0 && stage < p, "stage outside the pipeline");
  if (is_interleaved(parallelism)) {
    return std::min(m * v, 2 * (p - stage - 1) + (v - 1) * group_size(parallelism) + 1);
  }
  switch (parallelism.schedule) {
    case Schedule::gpipe:
      return m * v;
    case Schedule::one_f_one_b:
    case Schedule::interleaved_one_f_one_b:
    case Schedule::zero_bubble_h1:
      return std::min(m, p - stage);
    case Schedule::zero_bubble_1p:
      return std::min(m, p);
    case Schedule::zero_bubble_2p:
      return std::min(m, 2 * p - 1);
  }
  SHARDSIM_CHECK(false, "unknown schedule");
  return 0;
}

std::int64_t weight_gradients_pending(const model::Parallelism& parallelism, std::int64_t micro_batches,
                                      std::int64_t stage) {
  if (parallelism.schedule != model::Schedule::zero_bubble_1p || is_interleaved(parallelism)) return 0;
  const std::int64_t whole = std::min(micro_batches, parallelism.pipeline_model_parallel_size - stage);
  return chunks_in_flight(parallelism, micro_batches, stage) - whole;
}

std::vector<std::int64_t> in_flight_by_chunk(const model::Parallelism& parallelism, std::int64_t micro_batches,
                                             std::int64_t stage) {
  const std::int64_t v = parallelism.virtual_pipeline_model_parallel_size;
  const std::int64_t in_flight = chunks_in_flight(parallelism, micro_batches, stage);
  std::vector<std::int64_t> by_chunk(static_cast<std::size_t>(v), 0);
  if (!is_interleaved(parallelism)) {
    // GPipe with chunks holds every micro batch on each of them.
    std::fill(by_chunk.begin(), by_chunk.end(), in_flight / v);
    return by_chunk;
  }
  const std::int64_t group = group_size(parallelism);
  const std::int64_t round = group * v;
  for (std::int64_t chunk = 0; chunk < v; ++chunk) {
    const std::int64_t in_last_round = std::clamp(in_flight % round - chunk * group, std::int64_t{0}, group);
    by_chunk[static_cast<std::size_t>(chunk)] = in_flight / round * group + in_last_round;
  }
  return by_chunk;
}

}  // namespace shardsim::schedule
