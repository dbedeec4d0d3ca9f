#include "sim/report/timeline_rows.hpp"

#include <algorithm>

namespace shardsim::report {

TimelineRows::TimelineRows(const model::Timeline& timeline, const std::vector<NamedRank>& ranks)
    : rows_(ranks.size() * kLanes) {
  for (std::size_t i = 0; i < ranks.size(); ++i) places_.emplace(ranks[i].rank, static_cast<std::ptrdiff_t>(i));
  for (const model::Span& span : timeline.spans) {
    const std::ptrdiff_t place = find(span.rank);
    if (place >= 0) rows_[static_cast<std::size_t>(place) * kLanes + index_of(span.lane)].push_back(&span);
  }
  const auto earlier = [](const model::Span* a, const model::Span* b) { return a->start < b->start; };
  for (Spans& spans : rows_) {
    if (!std::is_sorted(spans.begin(), spans.end(), earlier)) std::stable_sort(spans.begin(), spans.end(), earlier);
  }
}

std::ptrdiff_t TimelineRows::find(std::int64_t rank) const {
  const auto known = places_.find(rank);
  return known == places_.end() ? -1 : known->second;
}

}  // namespace shardsim::report
