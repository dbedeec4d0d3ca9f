// What pipeline stages send to one another in one iteration.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/schedule/order.hpp"

namespace shardsim::schedule {

/// One activation or gradient of a micro batch on its way to a piece of the model.
struct PipelineMessage {
  std::int32_t micro_batch = 0;
  /// Chunk c of stage i is piece c·p + i.
  std::int64_t to_piece = 0;
  bool gradient = false;
  friend bool operator==(const PipelineMessage&, const PipelineMessage&) = default;
};

/// What `sender` sends to `receiver` in one iteration, in order. p stages of v chunks.
[[nodiscard]] std::vector<PipelineMessage> messages_between(const std::vector<Order>& orders, std::int64_t sender,
                                                            std::int64_t receiver, std::int64_t chunks);

}  // namespace shardsim::schedule
