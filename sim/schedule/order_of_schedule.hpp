// The order of each schedule, one function and one file each; sim/schedule/order.hpp chooses.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/schedule/bubble.hpp"
#include "sim/schedule/order.hpp"

namespace shardsim::schedule {

/// What an order depends on.
struct PipelineShape {
  std::int64_t stages = 1;
  std::int64_t chunks = 1;
  /// Micro batches that visit a chunk before the next chunk's turn.
  std::int64_t group = 1;
  std::int64_t micro_batches = 1;
};

[[nodiscard]] PipelineShape pipeline_shape(const model::Parallelism& parallelism, std::int64_t micro_batches);

/// The k-th forward or backward pass of any stage where chunks take turns.
[[nodiscard]] Action pass_at(const PipelineShape& shape, std::int64_t k, Work work);

/// Every micro batch forward through a chunk before the next chunk's turn, and backwards in the mirrored order: with
/// one chunk GPipe (Huang et al. 2019, figure 2c), with more the breadth-first schedule (Lamy-Poirier 2022, figure 4).
[[nodiscard]] Order breadth_first_order(const PipelineShape& shape);

/// p − i − 1 forwards, then one forward and one backward in turn (Narayanan et al. 2019, figure 4: PipeDream-Flush).
[[nodiscard]] Order one_f_one_b_order(const PipelineShape& shape, std::int64_t stage);

/// 2(p − i − 1) + (v − 1)·g forwards, then one forward and one backward in turn. Forwards take the chunks in turn for
/// each group of g micro batches (the last group may be smaller), backwards likewise with the chunks reversed
/// (Narayanan et al. 2021, figure 4; Megatron-Core's get_schedule_table).
[[nodiscard]] Order interleaved_order(const PipelineShape& shape, std::int64_t stage);

/// 1F1B with the backward split; stage i delays its weight gradients by i micro batches, so that every stage holds
/// min(m, p) micro batches until their weight gradients have run (Qi et al. 2023, section 2.1).
[[nodiscard]] Order zero_bubble_h1_order(const PipelineShape& shape, std::int64_t stage);

/// The schedule that a greedy planner finds for the given times (ibid., section 3.1) while no stage holds more than
/// `most_in_flight` micro batches from their forward to their weight gradient: p for ZB-1p, 2p − 1 for ZB-2p.
[[nodiscard]] std::vector<Order> planned_zero_bubble_orders(const PipelineShape& shape, std::int64_t most_in_flight,
                                                            const std::vector<StageTime>& times);

}  // namespace shardsim::schedule
