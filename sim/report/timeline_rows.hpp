// What drawings of a timeline share: which ranks, how lanes and passes are called, spans by row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/model/timeline.hpp"

namespace shardsim::report {

/// A rank to draw and its name, like "rank 3 (stage 1, dp 0, tp 3)".
struct NamedRank {
  std::int64_t rank = 0;
  std::string name;
};

/// By model::Lane.
inline constexpr std::array<std::string_view, 6> kLaneNames = {
    "host", "compute", "tensor parallel", "context parallel", "pipeline parallel", "data parallel"};
inline constexpr std::size_t kLanes = kLaneNames.size();

/// By model::Pass.
inline constexpr std::array<std::string_view, 6> kPassNames = {"forward",        "recompute",       "backward",
                                                               "input_gradient", "weight_gradient", "step"};

[[nodiscard]] constexpr std::size_t index_of(model::Lane lane) { return static_cast<std::size_t>(lane); }
[[nodiscard]] constexpr std::string_view name_of(model::Lane lane) { return kLaneNames[index_of(lane)]; }
[[nodiscard]] constexpr std::string_view name_of(model::Pass pass) {
  return kPassNames[static_cast<std::size_t>(pass)];
}

/// The spans of the ranks to draw, by rank and lane. The timeline must outlive it.
class TimelineRows {
 public:
  using Spans = std::vector<const model::Span*>;

  TimelineRows(const model::Timeline& timeline, const std::vector<NamedRank>& ranks);

  /// Place of a rank in `ranks`; -1: not drawn.
  [[nodiscard]] std::ptrdiff_t find(std::int64_t rank) const;
  /// By starting time.
  [[nodiscard]] const Spans& row(std::ptrdiff_t place, model::Lane lane) const {
    return rows_[static_cast<std::size_t>(place) * kLanes + index_of(lane)];
  }

 private:
  std::unordered_map<std::int64_t, std::ptrdiff_t> places_;
  std::vector<Spans> rows_;
};

}  // namespace shardsim::report
