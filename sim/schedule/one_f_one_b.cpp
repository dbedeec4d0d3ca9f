#include <algorithm>

#include "sim/schedule/in_flight.hpp"
#include "sim/schedule/order_of_schedule.hpp"

namespace shardsim::schedule {
Action pass_at(const PipelineShape& shape, std::int64_t k, Work work) {
  const std::int64_t round = shape.group * shape.chunks;
  const std::int64_t first = k / round * shape.group;
  const std::int64_t group = std::min(shape.group, shape.micro_batches - first);
  const std::int64_t within = k % round;
  const std::int64_t chunk = within / group;
  return {static_cast<std::int32_t>(first + within % group),
          static_cast<std::int32_t>(work == Work::forward ? chunk : shape.chunks - 1 - chunk), work};
}

PipelineShape pipeline_shape(const model::Parallelism& parallelism, std::int64_t micro_batches) {
  const std::int64_t chunks = parallelism.virtual_pipeline_model_parallel_size;
  return {parallelism.pipeline_model_parallel_size, chunks,
          chunks > 1 ? group_size(parallelism, micro_batches) : micro_batches, micro_batches};
}

namespace {

/// `warm_up` forwards ahead of the first backward, then both in turn.
Order in_turn(const PipelineShape& shape, std::int64_t warm_up) {
  const std::int64_t passes = shape.chunks * shape.micro_batches;
  Order order;
  order.reserve(static_cast<std::size_t>(2 * passes));
  const std::int64_t ahead = std::min(warm_up, passes);
  for (std::int64_t k = 0; k < passes + ahead; ++k) {
    if (k < passes) order.push_back(pass_at(shape, k, Work::forward));
    if (k >= ahead) order.push_back(pass_at(shape, k - ahead, Work::backward));
  }
  return order;
}

}  // namespace

Order one_f_one_b_order(const PipelineShape& shape, std::int64_t stage) {
  return in_turn(shape, shape.stages - stage - 1);
}

Order interleaved_order(const PipelineShape& shape, std::int64_t stage) {
  return in_turn(shape, 2 * (shape.stages - stage - 1) + (shape.chunks - 1) * shape.group);
}

}  // namespace shardsim::schedule
