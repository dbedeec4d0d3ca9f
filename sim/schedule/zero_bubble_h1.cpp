#include <algorithm>

#include "sim/schedule/order_of_schedule.hpp"

namespace shardsim::schedule {

Order zero_bubble_h1_order(const PipelineShape& shape, std::int64_t stage) {
  const std::int64_t m = shape.micro_batches;
  const std::int64_t ahead = std::min(shape.stages - stage - 1, m);
  const std::int64_t delay = std::min(stage, m);
  Order order;
  order.reserve(static_cast<std::size_t>(3 * m));
  const auto add = [&](std::int64_t micro_batch, Work work) {
    if (micro_batch >= 0 && micro_batch < m) order.push_back({static_cast<std::int32_t>(micro_batch), 0, work});
  };
  for (std::int64_t k = 0; k < m + ahead + delay; ++k) {
    add(k, Work::forward);
    add(k - ahead, Work::input_gradient);
    add(k - ahead - delay, Work::weight_gradient);
  }
  return order;
}

}  // namespace shardsim::schedule
