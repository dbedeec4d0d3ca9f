#include "sim/report/trace_arrows.hpp"

#include <algorithm>

namespace shardsim::report {
namespace {

using model::Lane;
using model::Picoseconds;
using model::Span;
using Spans = TimelineRows::Spans;

/// Two nanoseconds: start and length are cut to whole ones, each by itself.
constexpr Picoseconds kMargin = 2000;

Picoseconds last_moment(const Span& span) { return std::max(span.start, span.end - kMargin); }

/// The last span that starts at `time` or before.
const Span* at_or_before(const Spans& spans, Picoseconds time) {
  const auto after = std::upper_bound(spans.begin(), spans.end(), time,
                                      [](Picoseconds moment, const Span* span) { return moment < span->start; });
  return after == spans.begin() ? nullptr : *(after - 1);
}

const Span* starting_from(const Spans& spans, Picoseconds time) {
  const auto found = std::lower_bound(spans.begin(), spans.end(), time,
                                      [](const Span* span, Picoseconds moment) { return span->start < moment; });
  return found == spans.end() ? nullptr : *found;
}

ArrowEnd sender(const TimelineRows& rows, std::ptrdiff_t place, Picoseconds sent) {
  const Span* span = at_or_before(rows.row(place, Lane::pipeline), sent);
  if (span == nullptr || span->end < sent) span = at_or_before(rows.row(place, Lane::compute), sent);
  if (span == nullptr) return {};
  return {span, std::min(sent, last_moment(*span))};
}

ArrowEnd receiver(const TimelineRows& rows, std::ptrdiff_t place, Picoseconds received) {
  // A span that ends at this time rather than one that starts then.
  const Span* span = at_or_before(rows.row(place, Lane::pipeline), received - 1);
  if (span == nullptr || span->end < received) span = starting_from(rows.row(place, Lane::compute), received);
  if (span == nullptr) return {};
  return {span, std::clamp(received, span->start, last_moment(*span))};
}

}  // namespace

std::vector<Arrow> message_arrows(const model::Timeline& timeline, const TimelineRows& rows) {
  std::vector<Arrow> arrows;
  for (const model::Message& message : timeline.messages) {
    const std::ptrdiff_t from = rows.find(message.from);
    const std::ptrdiff_t to = rows.find(message.to);
    if (from < 0 || to < 0) continue;
    Arrow arrow{sender(rows, from, message.sent), receiver(rows, to, message.received)};
    if (arrow.from.span == nullptr || arrow.to.span == nullptr) continue;
    arrow.from.time = std::max(arrow.from.span->start, std::min(arrow.from.time, arrow.to.time));
    if (arrow.from.time <= arrow.to.time) arrows.push_back(arrow);
  }
  return arrows;
}

}  // namespace shardsim::report
