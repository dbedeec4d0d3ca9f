// What every rank of a pipeline runs in one iteration, in order: a schedule is one pure function to a list.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/parallelism.hpp"
#include "sim/schedule/bubble.hpp"

namespace shardsim::schedule {

/// backward: input and weight gradients in one go; zero-bubble schedules run the two apart.
enum class Work { forward, backward, input_gradient, weight_gradient };

/// One pass of one micro batch through one chunk.
struct Action {
  std::int32_t micro_batch = 0;
  /// From 0 within the stage; chunk c of stage i is piece c·p + i of the model.
  std::int32_t chunk = 0;
  Work work = Work::forward;

  friend bool operator==(const Action&, const Action&) = default;
};
using Order = std::vector<Action>;

/// Everything that a rank of `stage` (from 0) runs. `times`, one per stage, decides about zero_bubble_1p and _2p only,
/// whose order is planned for all stages together: ask orders() where several stages are wanted.
/// An iteration takes as long as the slowest stage needs from its own first pass to its own last: under zero_bubble_2p
/// later stages start later and end later, and the next iteration follows on each without a barrier (Qi et al. 2023,
/// section 4). Under the other schedules that is the first stage, and the same as the makespan.
/// Precondition with chunks > 1: the micro-batch group g >= p, and m mod g is 0 or >= p (what Megatron-Core asks).
[[nodiscard]] Order order(const model::Parallelism& parallelism, std::int64_t micro_batches, std::int64_t stage,
                          const std::vector<StageTime>& times);

/// order() of every stage. Cost linear in actions (log p more for zero_bubble_1p and _2p).
[[nodiscard]] std::vector<Order> orders(const model::Parallelism& parallelism, std::int64_t micro_batches,
                                        const std::vector<StageTime>& times);

}  // namespace shardsim::schedule
