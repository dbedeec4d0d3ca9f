// A tensor- and context-parallel group that plays one stage of one replica: its ranks run in step.
#pragma once

#include <cstdint>

#include "sim/engine/event/max_plus.hpp"
#include "sim/engine/event/speed.hpp"

namespace shardsim::engine::event {

/// Where the device's time of one iteration went; the parts sum to it.
struct Account {
  /// Operators, communication inside blocks included.
  Picoseconds busy = 0;
  Picoseconds host_wait = 0;
  /// Compute beside data-parallel communication takes longer.
  Picoseconds slowed = 0;
  /// Waits for messages that are late, and the last hop of those waits.
  Picoseconds bubble = 0;
  Picoseconds hop_wait = 0;
  /// Holds for its own sends.
  Picoseconds send = 0;
  /// Waits for data-parallel collectives, those of others included.
  Picoseconds data_wait = 0;
  /// Joins: the tied embedding's reduction (and waiting for it), the gradient norm.
  Picoseconds embedding = 0;
  Picoseconds norm = 0;
  Picoseconds fixed = 0;

  [[nodiscard]] Picoseconds total() const {
    return busy + host_wait + slowed + bubble + hop_wait + send + data_wait + embedding + norm + fixed;
  }
};

struct Unit {
  /// turn: for the time at which its device is ready, to see what runs beside it then.
  enum class Waits : std::uint8_t { nothing, turn, message, pass, send, collective, join };

  std::int32_t stage = 0;
  /// Next instruction.
  std::int32_t pc = 0;
  std::int32_t iteration = 0;
  Waits waits = Waits::nothing;
  /// Message slot or collective that it waits for.
  std::int32_t awaited = 0;
  Ready ready;
  /// Its pipeline lane: end of the last send.
  Picoseconds sent = 0;
  Slowness slowness = kNominal;

  /// Of the pass that runs beside collectives, from `ready` on: its undisturbed end, how long the data-parallel lane
  /// had been active before, and which share of its time a collective beside it costs.
  Ready pass_end;
  Picoseconds active_before = 0;
  double lost_share = 0.0;

  /// Data-parallel collectives issued in this iteration, and all that were before it.
  std::int32_t issued = 0;
  std::int32_t issued_before = 0;

  Picoseconds iteration_start = 0;
  /// Ends of the passes, and of data-parallel communication before the norm.
  Picoseconds passes_end = 0;
  Picoseconds data_end = 0;
  Account account;
};

}  // namespace shardsim::engine::event
