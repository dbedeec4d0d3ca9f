#include "sim/schedule/in_flight.hpp"

#include <algorithm>
#include <numeric>

#include "sim/base/check.hpp"
#include "sim/schedule/order_of_schedule.hpp"

namespace shardsim::schedule {

bool runs_all_forwards_first(model::Schedule schedule) {
  return schedule == model::Schedule::gpipe || schedule == model::Schedule::breadth_first;
}

bool is_interleaved(const model::Parallelism& parallelism) {
  return !runs_all_forwards_first(parallelism.schedule) && parallelism.virtual_pipeline_model_parallel_size > 1;
}

std::int64_t group_size(const model::Parallelism& parallelism, std::int64_t micro_batches) {
  if (runs_all_forwards_first(parallelism.schedule)) return micro_batches;
  const std::int64_t given = parallelism.microbatch_group_size_per_virtual_pipeline_stage;
  return given > 0 ? given : parallelism.pipeline_model_parallel_size;
}

std::int64_t chunks_in_flight(const model::Parallelism& parallelism, std::int64_t micro_batches, std::int64_t stage) {
  using model::Schedule;
  const std::int64_t p = parallelism.pipeline_model_parallel_size;
  const std::int64_t v = parallelism.virtual_pipeline_model_parallel_size;
  const std::int64_t m = micro_batches;
  SHARDSIM_CHECK(stage >= 0 && stage < p, "stage outside the pipeline");
  if (is_interleaved(parallelism)) {
    return std::min(m * v, 2 * (p - stage - 1) + (v - 1) * group_size(parallelism, m) + 1);
  }
  switch (parallelism.schedule) {
    case Schedule::gpipe:
    case Schedule::breadth_first:
      return m * v;
    case Schedule::one_f_one_b:
    case Schedule::interleaved_one_f_one_b:
      return std::min(m, p - stage);
    case Schedule::zero_bubble_h1:
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

Bytes most_held(const model::Parallelism& parallelism, std::int64_t micro_batches, std::int64_t stage,
                const std::vector<Bytes>& chunk_bytes) {
  const std::int64_t in_flight = chunks_in_flight(parallelism, micro_batches, stage);
  const auto differs = [&](Bytes bytes) { return bytes != chunk_bytes.front(); };
  const auto chunks = static_cast<std::int64_t>(chunk_bytes.size());
  if (std::none_of(chunk_bytes.begin(), chunk_bytes.end(), differs)) return in_flight * chunk_bytes.front();
  // Breadth-first holds every micro batch on each chunk.
  if (!is_interleaved(parallelism)) {
    return in_flight / chunks * std::accumulate(chunk_bytes.begin(), chunk_bytes.end(), Bytes{0});
  }
  // Between its warm-up (less than two rounds, as g >= p) and its last groups a schedule repeats itself.
  constexpr std::int64_t kGroups = 4;
  PipelineShape shape = pipeline_shape(parallelism, micro_batches);
  shape.micro_batches = std::min(micro_batches, kGroups * shape.group + micro_batches % shape.group);
  const std::int64_t passes = chunks * shape.micro_batches;
  const std::int64_t ahead = std::min(in_flight - 1, passes);
  const auto bytes_of = [&](std::int64_t pass, Work work) {
    return chunk_bytes[static_cast<std::size_t>(pass_at(shape, pass, work).chunk)];
  };
  Bytes held{0};
  Bytes most{0};
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    held += bytes_of(pass, Work::forward);
    most = std::max(most, held);
    if (pass >= ahead) held -= bytes_of(pass - ahead, Work::backward);
  }
  return most;
}

}  // namespace shardsim::schedule
