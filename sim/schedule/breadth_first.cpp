#include "sim/schedule/order_of_schedule.hpp"

namespace shardsim::schedule {

Order breadth_first_order(const PipelineShape& shape) {
  const std::int64_t passes = shape.chunks * shape.micro_batches;
  Order order;
  order.reserve(static_cast<std::size_t>(2 * passes));
  const auto add = [&](std::int64_t pass, Work work) {
    order.push_back({static_cast<std::int32_t>(pass % shape.micro_batches),
                     static_cast<std::int32_t>(pass / shape.micro_batches), work});
  };
  for (std::int64_t pass = 0; pass < passes; ++pass) add(pass, Work::forward);
  for (std::int64_t pass = passes; pass-- > 0;) add(pass, Work::backward);
  return order;
}

}  // namespace shardsim::schedule
