// What ran when: the event engine predicts it, the trainer records it, and both are drawn by the same writer.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/model/operators.hpp"

namespace shardsim::model {

/// Time of the event engine: integer, so that sums do not depend on their order. 2^63 ps are 106 days.
using Picoseconds = std::int64_t;

/// What a rank does side by side: the CPU that launches, the compute stream, one communication stream a group kind.
enum class Lane { host, compute, tensor, context, pipeline, data };

/// One operator, or a run of operators, on one lane of one rank.
struct Span {
  /// As Megatron users know it: "linear_qkv", "forward", "all_reduce gradients" …; static storage.
  std::string_view name;
  std::int64_t rank = 0;
  Lane lane = Lane::compute;
  Pass pass = Pass::forward;
  Picoseconds start = 0;
  Picoseconds end = 0;
  /// From 0; -1 = once per iteration.
  std::int32_t micro_batch = -1;
  std::int32_t chunk = 0;
  /// Communication: the full tensor; compute: bytes moved, where known.
  Bytes bytes{0};
};

/// A message from one rank's pipeline lane to another's.
struct Message {
  std::int64_t from = 0;
  std::int64_t to = 0;
  Picoseconds sent = 0;
  Picoseconds received = 0;
};

/// Memory of one rank from this moment on.
struct MemorySample {
  std::int64_t rank = 0;
  Picoseconds time = 0;
  Bytes allocated{0};
  /// What the caching allocator holds; 0 = not known.
  Bytes reserved{0};
};

/// One iteration. Spans of one lane of one rank do not overlap; each list is in order of time within a rank.
struct Timeline {
  std::vector<Span> spans;
  std::vector<Message> messages;
  std::vector<MemorySample> memory;
  Picoseconds end = 0;
};

}  // namespace shardsim::model
