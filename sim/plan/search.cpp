#include "sim/plan/search.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <iterator>
#include <thread>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/engine/closed_form.hpp"
#include "sim/memory/device_use.hpp"
#include "sim/plan/partial_search.hpp"

namespace shardsim::plan {
namespace {

using model::RecomputeGranularity;
using model::Schedule;

constexpr std::int64_t kMostVirtualStages = 16;
/// Below this many tokens a rank, context parallelism splits what one device does well.
constexpr std::int64_t kFewestTokensOfContextRank = 1024;

std::vector<std::int64_t> divisors(std::int64_t number, std::int64_t most) {
  std::vector<std::int64_t> found;
  for (std::int64_t divisor = 1; divisor <= std::min(number, most); ++divisor) {
    if (number % divisor == 0) found.push_back(divisor);
  }
  return found;
}

/// Calls work(0) … work(threads − 1), the first in this thread; the first exception of any is thrown on.
template <typename Work>
void in_threads(int threads, Work work) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(threads));
  const auto guarded = [&](int thread) {
    try {
      work(thread);
    } catch (...) {
      failures[static_cast<std::size_t>(thread)] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(guarded, thread);
  guarded(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

Candidate candidate(const model::Scenario& base, const Ranked& ranked) {
  model::Scenario scenario = with_degrees(base, ranked.degrees);
  engine::Prediction prediction = engine::predict(scenario);
  return {ranked.degrees, std::move(scenario), std::move(prediction), ranked.place};
}

/// What one share found.
SearchResult result_of(const model::Scenario& base, const PartialSearch& part) {
  SearchResult result;
  result.considered = part.considered();
  result.out_of_memory = part.out_of_memory();
  for (std::size_t i = 0; i < kReasons; ++i) {
    const std::int64_t count = part.impossible()[i];
    if (count > 0) result.impossible[std::string(reason_text(static_cast<Reason>(i)))] = count;
  }
  for (const Ranked& ranked : part.best()) {
    result.candidates.push_back(candidate(base, ranked));
    SHARDSIM_CHECK(result.candidates.back().prediction.iteration == Seconds{ranked.value},
                   "a search that predicts otherwise than predict()");
  }
  const bool nearest = part.best().empty() && std::isfinite(part.nearest().value);
  if (nearest) result.nearest.push_back(candidate(base, part.nearest()));
  return result;
}

bool is_faster(const Candidate& a, const Candidate& b) {
  return std::pair(a.prediction.iteration.value(), a.place) < std::pair(b.prediction.iteration.value(), b.place);
}

bool is_nearer(const Candidate& a, const Candidate& b) {
  return std::pair(a.prediction.memory.worst().device_used.value(), a.place) <
         std::pair(b.prediction.memory.worst().device_used.value(), b.place);
}

}  // namespace

double out_of_memory_probability(const model::Scenario& scenario, Bytes used) {
  return memory::out_of_memory_probability(used, scenario.cluster.device.memory_capacity, scenario.stack.error.memory);
}

bool fits(const model::Scenario& scenario, Bytes used, Bytes max_memory) {
  const bool fits_device = out_of_memory_probability(scenario, used) < 0.5;
  return fits_device && (max_memory == Bytes{0} || used <= max_memory);
}

Space whole_space(const model::Scenario& base) {
  const model::Abilities& can = base.stack.abilities;
  // Of a degree that the stack lacks only 1 is left.
  const auto up_to = [](bool able, std::int64_t most) { return able ? std::max<std::int64_t>(1, most) : 1; };
  const std::int64_t layers = base.model.num_layers;
  Space space;
  space.tensor_model_parallel_size = divisors(base.gpus, up_to(can.tensor_parallel, base.cluster.gpus_per_node));
  space.pipeline_model_parallel_size = divisors(base.gpus, up_to(can.pipeline_parallel, layers));
  space.virtual_pipeline_model_parallel_size = divisors(layers, up_to(can.interleaving, kMostVirtualStages));
  space.context_parallel_size =
      divisors(base.gpus, up_to(can.context_parallel, base.model.seq_length / kFewestTokensOfContextRank));
  space.micro_batch_size = divisors(base.training.global_batch_size, 64);
  space.recompute_granularity = {RecomputeGranularity::none, RecomputeGranularity::full};
  if (can.selective_recompute)
    space.recompute_granularity.insert(space.recompute_granularity.begin() + 1, RecomputeGranularity::selective);
  space.sequence_parallel = can.sequence_parallel ? std::vector{false, true} : std::vector{false};
  for (int stage = 0; stage <= can.largest_zero_stage; ++stage) space.zero_stage.push_back(stage);
  space.schedule = {Schedule::one_f_one_b};
  if (can.interleaving) space.schedule.push_back(Schedule::interleaved_one_f_one_b);
  // The fork whose ends are lighter is the one with zero-bubble schedules.
  if (base.stack.layer_split == model::LayerSplit::lighter_ends) {
    space.schedule.insert(space.schedule.end(),
                          {Schedule::zero_bubble_h1, Schedule::zero_bubble_1p, Schedule::zero_bubble_2p});
  }
  return space;
}

bool has_possible(const model::Scenario& base, const Space& space) {
  SearchOptions options;
  options.best = 1;
  const SearchResult found = search(base, space, options);
  return !found.candidates.empty() || found.out_of_memory > 0;
}

SearchResult merged(std::vector<SearchResult> parts, std::size_t best) {
  SearchResult whole;
  for (SearchResult& part : parts) {
    whole.considered += part.considered;
    whole.out_of_memory += part.out_of_memory;
    whole.interrupted = whole.interrupted || part.interrupted;
    for (const auto& [reason, count] : part.impossible) whole.impossible[reason] += count;
    std::move(part.candidates.begin(), part.candidates.end(), std::back_inserter(whole.candidates));
    std::move(part.nearest.begin(), part.nearest.end(), std::back_inserter(whole.nearest));
  }
  std::sort(whole.candidates.begin(), whole.candidates.end(), is_faster);
  if (whole.candidates.size() > best)
    whole.candidates.erase(whole.candidates.begin() + static_cast<std::ptrdiff_t>(best), whole.candidates.end());
  std::sort(whole.nearest.begin(), whole.nearest.end(), is_nearer);
  whole.nearest.erase(whole.nearest.begin() + (whole.candidates.empty() && !whole.nearest.empty() ? 1 : 0),
                      whole.nearest.end());
  return whole;
}

SearchResult search(const model::Scenario& base, const Space& space, const SearchOptions& options) {
  const std::int64_t units = PartialSearch::units(space);
  const int threads = static_cast<int>(std::clamp<std::int64_t>(options.threads, 1, std::max<std::int64_t>(1, units)));
  Shared shared;
  std::vector<PartialSearch> parts;
  parts.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) parts.emplace_back(base, space, options, shared);
  std::atomic<std::int64_t> next{options.part};
  std::atomic<bool> stopped{false};
  in_threads(threads, [&](int thread) {
    for (std::int64_t unit = next.fetch_add(options.parts); unit < units; unit = next.fetch_add(options.parts)) {
      if (stopped) return;
      parts[static_cast<std::size_t>(thread)].search_unit(unit);
      const double share = static_cast<double>(unit + 1) / static_cast<double>(units);
      if (thread == 0 && options.progress && !options.progress(share)) stopped = true;
    }
  });
  std::vector<SearchResult> results;
  for (const PartialSearch& part : parts) results.push_back(result_of(base, part));
  SearchResult whole = merged(std::move(results), options.best);
  whole.interrupted = stopped;
  return whole;
}

}  // namespace shardsim::plan
