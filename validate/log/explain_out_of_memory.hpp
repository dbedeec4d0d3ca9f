// What an out-of-memory message means for the job that it came from.
#pragma once

#include <optional>
#include <vector>

#include "sim/plan/changes_that_fit.hpp"
#include "validate/log/allocations.hpp"
#include "validate/log/compare.hpp"

namespace shardsim::validate::log {

struct OutOfMemoryExplained {
  /// The first message: later ones may be of ranks that the first one's end took along.
  OutOfMemory message;
  std::size_t messages = 0;
  /// Tensors of the size asked for, likeliest first: those that the traceback speaks for, then the nearest in size.
  std::vector<Allocation> matches;
  /// False: none has the printed size; `matches` are the nearest within 5 %.
  bool exact = true;
  /// A block of the smallest sizes, which tensors of any kind fill: what the last straw was says nothing.
  bool last_straw = false;
  /// Used on the device when it failed, plus what was asked for.
  std::optional<Bytes> need;
  /// Used on the device beside PyTorch's reserved memory.
  std::optional<Bytes> outside;
  /// Reserved but not allocated.
  std::optional<Bytes> unallocated;
  /// The free part of PyTorch's own memory was large enough, but in pieces.
  bool fragmented = false;
  /// That make the job fit into the device of the message, where the prediction is as far too small as the need shows.
  std::vector<plan::Change> changes;
};

/// Precondition: the log holds a message.
[[nodiscard]] OutOfMemoryExplained explain(const Comparison& comparison);

}  // namespace shardsim::validate::log
