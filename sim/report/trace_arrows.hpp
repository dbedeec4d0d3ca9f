// Messages as arrows of a trace: each end lies inside a span, where viewers look for it.
#pragma once

#include <vector>

#include "sim/report/timeline_rows.hpp"

namespace shardsim::report {

struct ArrowEnd {
  const model::Span* span = nullptr;
  /// Within the span, and not so near its end that a viewer which counts nanoseconds puts it behind.
  model::Picoseconds time = 0;
};

struct Arrow {
  ArrowEnd from;
  ArrowEnd to;
};

/// A message leaves from the pipeline span during which it was sent, or else from the last compute before; it arrives
/// in the pipeline span during which it was received, or else at the first compute after. Messages of ranks that are
/// not drawn, or that meet no span, have no arrow.
[[nodiscard]] std::vector<Arrow> message_arrows(const model::Timeline& timeline, const TimelineRows& rows);

}  // namespace shardsim::report
