// Plays the orders of all stages against one another: passes wait for their neighbours' and nothing else.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "sim/schedule/in_flight.hpp"
#include "sim/schedule/order.hpp"

namespace shardsim::schedule {

struct Played {
  /// Of each stage, from its own first pass to its own last.
  std::vector<double> first_start;
  std::vector<double> last_end;
  bool deadlock = false;

  [[nodiscard]] double makespan() const { return *std::max_element(last_end.begin(), last_end.end()); }
  /// What an iteration takes where the next one follows without a barrier.
  [[nodiscard]] double longest_stage() const {
    double longest = 0.0;
    for (std::size_t i = 0; i < last_end.size(); ++i) longest = std::max(longest, last_end[i] - first_start[i]);
    return longest;
  }
};

inline double duration(const StageTime& time, Work work, std::int64_t chunks) {
  const auto share = static_cast<double>(chunks);
  switch (work) {
    case Work::forward:
      return time.forward.value() / share;
    case Work::backward:
      return time.backward.value() / share;
    case Work::input_gradient:
      return (time.backward - time.weight_gradient).value() / share;
    case Work::weight_gradient:
      return time.weight_gradient.value() / share;
  }
  return 0.0;
}

/// Piece q = chunk·p + stage of the model: its forward needs piece q − 1's, its input gradient piece q + 1's and its
/// own forward, its weight gradient its own input gradient.
inline Played play(const std::vector<Order>& orders, std::int64_t chunks, std::int64_t micro_batches,
                   const std::vector<StageTime>& times) {
  constexpr double kPending = std::numeric_limits<double>::infinity();
  const std::size_t stages = orders.size();
  const std::size_t pieces = stages * static_cast<std::size_t>(chunks);
  const auto m = static_cast<std::size_t>(micro_batches);
  std::vector<double> forward(pieces * m, kPending);
  std::vector<double> gradient(pieces * m, kPending);
  std::vector<std::size_t> next(stages, 0);
  Played played{std::vector<double>(stages, 0.0), std::vector<double>(stages, 0.0), false};
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::size_t stage = 0; stage < stages; ++stage) {
      for (; next[stage] < orders[stage].size(); ++next[stage]) {
        const Action& action = orders[stage][next[stage]];
        const std::size_t piece = static_cast<std::size_t>(action.chunk) * stages + stage;
        const std::size_t at = piece * m + static_cast<std::size_t>(action.micro_batch);
        double ready = 0.0;
        if (action.work == Work::forward) {
          if (piece > 0) ready = forward[at - m];
        } else if (action.work == Work::weight_gradient) {
          ready = gradient[at];
        } else {
          ready = forward[at];
          if (piece + 1 < pieces) ready = std::max(ready, gradient[at + m]);
        }
        if (ready == kPending) break;
        const double start = std::max(ready, played.last_end[stage]);
        if (next[stage] == 0) played.first_start[stage] = start;
        played.last_end[stage] = start + duration(times[stage], action.work, chunks);
        if (action.work == Work::forward) forward[at] = played.last_end[stage];
        if (action.work == Work::backward || action.work == Work::input_gradient) gradient[at] = played.last_end[stage];
        moved = true;
      }
    }
  }
  for (std::size_t stage = 0; stage < stages; ++stage) {
    if (next[stage] < orders[stage].size()) played.deadlock = true;
  }
  return played;
}

/// Most (micro batch, chunk) pairs between their forward and the last pass of their backward.
inline std::int64_t most_in_flight(const Order& order) {
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const Action& action : order) {
    if (action.work == Work::forward) most = std::max(most, ++now);
    if (action.work == Work::backward || action.work == Work::weight_gradient) --now;
  }
  return most;
}

}  // namespace shardsim::schedule
