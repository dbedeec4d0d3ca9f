// What several reports say about a search, computed once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/engine/time_terms.hpp"
#include "sim/report/plan_report.hpp"

namespace shardsim::report {

/// The reason of those that could run.
inline constexpr std::string_view kOutOfMemory = "does not fit into memory";

struct Rejection {
  std::string reason;
  std::int64_t count = 0;
};
/// Most frequent first, those that do not fit into memory included.
[[nodiscard]] std::vector<Rejection> rejections(const plan::SearchResult& found);

/// By how much the nearest layout exceeds what it may use. Precondition: there is a nearest one.
[[nodiscard]] Bytes missing_memory(const PlanReport& report);

/// Places of the terms that differ between the candidates by more than a thousandth of the iteration, the most
/// different first.
[[nodiscard]] std::vector<std::size_t> differing_terms(const std::vector<plan::Candidate>& candidates);

/// Places of the played candidates in the order of the event engine.
[[nodiscard]] std::vector<std::size_t> event_order(const std::vector<Seconds>& event_iterations);

}  // namespace shardsim::report
