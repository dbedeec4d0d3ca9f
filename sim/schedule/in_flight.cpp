#include "sim/schedule/in_flight.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace shardsim::schedule {

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
    const std::int64_t given = parallelism.microbatch_group_size_per_virtual_pipeline_stage;
    const std::int64_t group = given > 0 ? given : p;
    return std::min(m * v, 2 * (p - stage - 1) + (v - 1) * group + 1);
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

}  // namespace shardsim::schedule
