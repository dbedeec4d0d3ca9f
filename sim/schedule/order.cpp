#include "sim/schedule/order.hpp"

#include "sim/base/check.hpp"
#include "sim/schedule/in_flight.hpp"
#include "sim/schedule/order_of_schedule.hpp"

namespace shardsim::schedule {
namespace {

bool is_planned(const model::Parallelism& parallelism) {
  return !is_interleaved(parallelism) && (parallelism.schedule == model::Schedule::zero_bubble_1p ||
                                          parallelism.schedule == model::Schedule::zero_bubble_2p);
}

std::vector<Order> planned(const model::Parallelism& parallelism, const PipelineShape& shape,
                           const std::vector<StageTime>& times) {
  return planned_zero_bubble_orders(shape, chunks_in_flight(parallelism, shape.micro_batches, 0), times);
}

Order fixed(const model::Parallelism& parallelism, const PipelineShape& shape, std::int64_t stage) {
  using model::Schedule;
  if (is_interleaved(parallelism)) return interleaved_order(shape, stage);
  switch (parallelism.schedule) {
    case Schedule::gpipe:
    case Schedule::breadth_first:
      return breadth_first_order(shape);
    case Schedule::one_f_one_b:
    case Schedule::interleaved_one_f_one_b:
      return one_f_one_b_order(shape, stage);
    case Schedule::zero_bubble_h1:
      return zero_bubble_h1_order(shape, stage);
    case Schedule::zero_bubble_1p:
    case Schedule::zero_bubble_2p:
      break;
  }
  SHARDSIM_CHECK(false, "a schedule that is planned for all stages together");
  return {};
}

}  // namespace

Order order(const model::Parallelism& parallelism, std::int64_t micro_batches, std::int64_t stage,
            const std::vector<StageTime>& times) {
  SHARDSIM_CHECK(stage >= 0 && stage < parallelism.pipeline_model_parallel_size, "stage outside the pipeline");
  const PipelineShape shape = pipeline_shape(parallelism, micro_batches);
  if (!is_planned(parallelism)) return fixed(parallelism, shape, stage);
  return planned(parallelism, shape, times)[static_cast<std::size_t>(stage)];
}

std::vector<Order> orders(const model::Parallelism& parallelism, std::int64_t micro_batches,
                          const std::vector<StageTime>& times) {
  const PipelineShape shape = pipeline_shape(parallelism, micro_batches);
  if (is_planned(parallelism)) return planned(parallelism, shape, times);
  std::vector<Order> all;
  all.reserve(static_cast<std::size_t>(shape.stages));
  for (std::int64_t stage = 0; stage < shape.stages; ++stage) all.push_back(fixed(parallelism, shape, stage));
  return all;
}

}  // namespace shardsim::schedule
