// What every pipeline stage does in one iteration, compiled once and played by all of its replicas.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/engine/event/pass_cost.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/scenario.hpp"
#include "sim/schedule/order.hpp"

namespace shardsim::engine::event {

/// One block's pass, several times over.
struct Run {
  /// Index into Programs::passes.
  std::int32_t pass = 0;
  std::int32_t count = 0;

  friend bool operator==(const Run&, const Run&) = default;
};
using Sequence = std::vector<Run>;

enum class Code : std::uint8_t {
  /// Sequence `index` on host and device.
  run,
  /// Waits for the message of slot `index`.
  receive,
  /// Sends a message into slot `index` of stage `peer`.
  send,
  /// Puts collective `index` of the stage on its data-parallel lane.
  issue,
  /// The device waits for the `index`-th collective that was issued in this iteration.
  await_collective,
  /// The device waits for all members of the group, then for the collective.
  join_embedding,
  join_all,
  /// The host waits for the device.
  synchronize,
  /// Costs of the host at the end of an iteration.
  finish,
};

struct Instruction {
  Code code = Code::run;
  std::int16_t chunk = 0;
  /// -1: once per iteration.
  std::int32_t micro_batch = -1;
  std::int32_t index = 0;
  /// send: the receiving stage; run: the schedule::Work.
  std::int32_t peer = 0;
};

/// A collective of a stage's data-parallel group, undisturbed.
struct Collective {
  std::string_view name;
  model::OperatorKind kind = model::OperatorKind::all_reduce;
  Bytes bytes{0};
  Picoseconds time = 0;
};

struct Stage {
  std::vector<Instruction> code;
  std::vector<Collective> collectives;
};

/// A send between neighbouring stages.
struct Hop {
  Bytes bytes{0};
  /// From the end of the pass to the arrival, undisturbed.
  Picoseconds time = 0;
  /// The sender's device waits for it, and so does the receiver's host.
  bool exposed = false;
  /// Sequence that the receiver runs on arrival (all-gather of a scattered send); -1 = none.
  std::int32_t arrival = -1;
};

/// Of a group that joins once per iteration.
struct JoinedCollective {
  Picoseconds time = 0;
  Bytes bytes{0};
};

struct Programs {
  std::vector<PassCost> passes;
  std::vector<Sequence> sequences;
  std::vector<Stage> stages;
  Hop hop;
  JoinedCollective embedding;
  /// Gradient norm.
  JoinedCollective all;
  Picoseconds per_iteration = 0;
  /// Messages that one stage can receive in an iteration.
  std::int32_t slots = 0;
  /// Iterations to play until they repeat: stages that do not wait for each other at the end run ahead.
  int iterations = 1;
};

[[nodiscard]] Programs compile(const model::Scenario& scenario, const std::vector<model::Stage>& layout);

/// Slot of a message: of every chunk and micro batch one activation and one gradient arrive.
struct Slot {
  std::int32_t chunk = 0;
  std::int32_t micro_batch = 0;
  bool gradient = false;
};
[[nodiscard]] constexpr std::int32_t slot_index(Slot slot, std::int32_t chunks, std::int32_t micro_batches) {
  return ((slot.gradient ? chunks : 0) + slot.chunk) * micro_batches + slot.micro_batch;
}

}  // namespace shardsim::engine::event
