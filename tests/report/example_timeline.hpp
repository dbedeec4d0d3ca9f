// Two stages, one micro batch: forward, a send, forward.
#pragma once

#include "sim/report/timeline_rows.hpp"

namespace shardsim::tests {

/// Times in microseconds: stage 0 computes 0–10, sends 10–11; stage 1 receives 10.5–12, computes 12–22, and again
/// 23–24.
inline model::Timeline example_timeline() {
  using model::Lane;
  using model::Pass;
  constexpr model::Picoseconds kMicrosecond = 1'000'000;
  model::Timeline timeline;
  timeline.spans = {
      {"forward", 0, Lane::compute, Pass::forward, 0, 10 * kMicrosecond, 0},
      {"send_recv", 0, Lane::pipeline, Pass::forward, 10 * kMicrosecond, 11 * kMicrosecond, 0, 0, Bytes{1024}},
      {"send_recv", 1, Lane::pipeline, Pass::forward, 21 * kMicrosecond / 2, 12 * kMicrosecond, 0, 0, Bytes{1024}},
      {"forward", 1, Lane::compute, Pass::forward, 12 * kMicrosecond, 22 * kMicrosecond, 0},
      {"optimizer", 1, Lane::compute, Pass::step, 23 * kMicrosecond, 24 * kMicrosecond}};
  timeline.messages = {{0, 1, 10 * kMicrosecond, 12 * kMicrosecond}};
  timeline.memory = {{0, 0, Bytes{3 << 19}, Bytes{9 << 18}}, {1, 12 * kMicrosecond, Bytes{1 << 19}, Bytes{0}}};
  timeline.end = 24 * kMicrosecond;
  return timeline;
}

inline std::vector<report::NamedRank> example_ranks() { return {{0, "rank 0 (stage 0)"}, {1, "rank 1 (stage 1)"}}; }

}  // namespace shardsim::tests
