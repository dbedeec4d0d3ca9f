#include "sim/schedule/messages.hpp"

#include <cstddef>

namespace shardsim::schedule {

std::vector<PipelineMessage> messages_between(const std::vector<Order>& orders, std::int64_t sender,
                                              std::int64_t receiver, std::int64_t chunks) {
  const auto stages = static_cast<std::int64_t>(orders.size());
  std::vector<PipelineMessage> messages;
  for (const Action& action : orders[static_cast<std::size_t>(sender)]) {
    const bool gradient = action.work != Work::forward;
    const std::int64_t to = action.chunk * stages + sender + (gradient ? -1 : 1);
    if (to < 0 || to >= stages * chunks || to % stages != receiver) continue;
    messages.push_back({action.micro_batch, to, gradient});
  }
  return messages;
}

}  // namespace shardsim::schedule
