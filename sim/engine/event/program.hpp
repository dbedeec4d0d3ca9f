// What every pipeline stage does in one iteration, compiled once and played by all of its replicas.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/event/data_traffic.hpp"
#include "sim/engine/event/pass_cost.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/scenario.hpp"
#include "sim/schedule/bubble.hpp"
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
  /// The device waits for the message of slot `index`.
  receive,
  /// Sends a message into slot `index` of stage `peer`.
  send,
  /// Puts collective `index` of the stage on its data-parallel lane.
  issue,
  /// The device waits for the collective that was the `index`-th to be issued in this iteration.
  await_collective,
  /// The device waits for first and last stage, or for everyone, and then for their collective.
  join_embedding,
  join_all,
  /// The host waits for the device.
  synchronize,
  /// The host's fixed cost; the iteration is over.
  finish,
};

struct Instruction {
  Code code = Code::run;
  std::int16_t chunk = 0;
  /// -1: once per iteration.
  std::int32_t micro_batch = -1;
  std::int32_t index = 0;
  std::int32_t peer = 0;
};

struct StageProgram {
  std::vector<Instruction> code;
  std::vector<Collective> collectives;
};

/// A send between neighbouring stages.
struct Hop {
  Bytes bytes{0};
  /// Undisturbed.
  Picoseconds time = 0;
  /// The sender's device waits for it, and the hosts of both for their devices.
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
  std::vector<StageProgram> stages;
  /// As the schedule was planned with.
  std::vector<schedule::StageTime> stage_times;
  Hop hop;
  JoinedCollective embedding;
  /// Gradient norm.
  JoinedCollective all;
  Picoseconds per_iteration = 0;
  std::int32_t chunks = 1;
  std::int32_t micro_batches = 1;
  /// Iterations to play. Where stages do not wait for each other at the end, each runs into its next iteration, and
  /// only the last one played is steady.
  int iterations = 1;
};

[[nodiscard]] Programs compile(const model::Scenario& scenario, const std::vector<model::Stage>& layout);

/// Messages that a stage can receive in an iteration: an activation and a gradient per chunk and micro batch.
[[nodiscard]] constexpr std::int32_t slots(const Programs& programs) {
  return 2 * programs.chunks * programs.micro_batches;
}

}  // namespace shardsim::engine::event
