// Memory of one rank through an iteration: the tensors that come and go as the schedule's order runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/memory/caching_allocator.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/operators.hpp"
#include "sim/model/scenario.hpp"
#include "sim/model/timeline.hpp"
#include "sim/schedule/order.hpp"

namespace shardsim::memory {

/// One tensor is allocated (bytes > 0) or released (minus the bytes of its allocation).
struct MemoryChange {
  /// The action of the order during which it happens; kBeforeIteration; or the order's size: the optimizer step.
  std::int32_t action = 0;
  /// From 0; used once.
  std::int32_t tensor = 0;
  Bytes bytes;
};
inline constexpr std::int32_t kBeforeIteration = -1;

struct MemoryChanges {
  /// In order of time.
  std::vector<MemoryChange> list;
  std::int32_t actions = 0;
  std::int32_t tensors = 0;
};

/// What a rank of `stage` allocates and releases when it runs `order`, from the same formulas as
/// predict_memory():
///  - before: parameters, gradients, optimizer state, workspaces; through all passes the pipeline's buffers;
///  - a forward allocates what each of its layers keeps, and the loss its logits at their peak, of which the softmax
///    stays for the backward;
///  - a backward brings the logits to their peak again, then the output layer's gradients, holds its temporaries and
///    releases its layers last to first; its weight gradient does so where the two are apart;
///  - output-layer gradients that are deferred stay until the last pass; the optimizer step has its own temporaries.
/// Cost: one change per layer and pass.
[[nodiscard]] MemoryChanges memory_changes(const model::Scenario& scenario, const model::OperatorList& operators,
                                           const model::Stage& stage, const schedule::Order& order);

/// During and after one action, or the step.
struct MemoryLevel {
  Bytes peak;
  Bytes after;
  /// What the caching allocator holds at the end; 0 = not asked for.
  Bytes reserved;
};

struct MemoryOverTime {
  Bytes before;
  /// One an action, and the step.
  std::vector<MemoryLevel> levels;
  Bytes peak;
  /// The first action at the peak; the number of actions = the step.
  std::int32_t peak_action = 0;
  /// The action whose allocation failed where the device is full; what follows it is missing.
  std::optional<std::int32_t> failed;
};

/// Bytes of the tensors alone: what predict_memory() calls allocated.
[[nodiscard]] MemoryOverTime replay(const MemoryChanges& changes);

/// The same through an allocator, which rounds sizes and keeps what was released.
[[nodiscard]] MemoryOverTime replay(const MemoryChanges& changes, CachingAllocator& allocator);

struct ActionTime {
  model::Picoseconds start = 0;
  model::Picoseconds end = 0;
};

/// Samples of `rank`: at 0 what is held throughout, at the start of each action its peak, at its end what it leaves.
/// times: of each action, and of the step.
[[nodiscard]] std::vector<model::MemorySample> samples(const MemoryOverTime& memory,
                                                       const std::vector<ActionTime>& times, std::int64_t rank);

}  // namespace shardsim::memory
