// One iteration of a stage as this project's trainer runs it: what lives at the peak of its passes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/memory/block_memory.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::memory {

struct PassPeak {
  Held held;
  /// "forward", "loss" or "backward".
  std::string_view moment;
};

/// Follows the schedule's order: token arrays of a micro batch live from its first to its last pass on the stage, saved
/// tensors from forward to backward, a received activation or gradient from the post of its receive, a sent one until
/// the next of its kind to the same stage. False for zero-bubble schedules, whose order depends on times.
[[nodiscard]] bool can_replay(const model::Scenario& scenario);
/// Precondition: can_replay(). Cost linear in micro batches · chunks.
[[nodiscard]] PassPeak replay_passes(const model::Scenario& scenario, const std::vector<model::Stage>& stages,
                                     std::int64_t stage);

}  // namespace shardsim::memory
