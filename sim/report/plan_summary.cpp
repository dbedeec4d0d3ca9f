#include "sim/report/plan_summary.hpp"

#include <algorithm>
#include <numeric>

namespace shardsim::report {

std::int64_t fitting(const plan::SearchResult& found) {
  std::int64_t left = found.considered - found.out_of_memory;
  for (const auto& [reason, count] : found.impossible) left -= count;
  return left;
}

std::vector<Rejection> rejections(const plan::SearchResult& found) {
  std::vector<Rejection> all;
  for (const auto& [reason, count] : found.impossible) all.push_back({reason, count});
  if (found.out_of_memory > 0) all.push_back({std::string(kOutOfMemory), found.out_of_memory});
  std::stable_sort(all.begin(), all.end(), [](const Rejection& a, const Rejection& b) { return a.count > b.count; });
  return all;
}

Bytes missing_memory(const PlanReport& report) {
  return report.found.nearest.front().prediction.memory.worst().device_used - report.max_memory;
}

std::vector<std::size_t> differing_terms(const std::vector<plan::Candidate>& candidates) {
  constexpr double kShare = 1e-3;
  std::vector<std::size_t> terms;
  if (candidates.size() < 2) return terms;
  std::vector<Seconds> spread(candidates.front().prediction.time.size());
  for (std::size_t term = 0; term < spread.size(); ++term) {
    Seconds least = candidates.front().prediction.time[term].time;
    Seconds most = least;
    for (const plan::Candidate& candidate : candidates) {
      least = std::min(least, candidate.prediction.time[term].time);
      most = std::max(most, candidate.prediction.time[term].time);
    }
    spread[term] = most - least;
    if (spread[term] > kShare * candidates.front().prediction.iteration) terms.push_back(term);
  }
  std::stable_sort(terms.begin(), terms.end(), [&](std::size_t a, std::size_t b) { return spread[a] > spread[b]; });
  return terms;
}

std::vector<std::size_t> event_order(const std::vector<Seconds>& event_iterations) {
  std::vector<std::size_t> order(event_iterations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return event_iterations[a] < event_iterations[b]; });
  return order;
}

}  // namespace shardsim::report
