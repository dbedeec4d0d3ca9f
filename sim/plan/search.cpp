#include "sim/plan/search.hpp"

#include <algorithm>

#include "sim/engine/closed_form.hpp"

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

/// Calls visit(degrees) for every combination, the last list fastest; stops when it returns false.
template <typename Visit>
void for_each(const Space& space, Visit visit) {
  Degrees d;
  for (const auto tp : space.tensor_model_parallel_size) {
    d.tensor_model_parallel_size = tp;
    for (const auto pp : space.pipeline_model_parallel_size) {
      d.pipeline_model_parallel_size = pp;
      for (const auto cp : space.context_parallel_size) {
        d.context_parallel_size = cp;
        for (const auto schedule : space.schedule) {
          d.schedule = schedule;
          for (const auto chunks : space.virtual_pipeline_model_parallel_size) {
            d.virtual_pipeline_model_parallel_size = chunks;
            for (const auto micro : space.micro_batch_size) {
              d.micro_batch_size = micro;
              for (const auto recompute : space.recompute_granularity) {
                d.recompute_granularity = recompute;
                for (const bool sequence : space.sequence_parallel) {
                  d.sequence_parallel = sequence;
                  for (const int zero : space.zero_stage) {
                    d.zero_stage = zero;
                    if (!visit(d)) return;
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

bool contains(const std::vector<std::int64_t>& admitted, std::int64_t value) {
  return admitted.empty() || std::find(admitted.begin(), admitted.end(), value) != admitted.end();
}

bool fits(const engine::Prediction& prediction, Bytes max_memory) {
  if (!prediction.memory.fits()) return false;
  return max_memory == Bytes{0} || prediction.memory.worst().device_used <= max_memory;
}

void keep(std::vector<Candidate>& best, Candidate candidate, std::size_t count) {
  const auto place = std::upper_bound(best.begin(), best.end(), candidate, [](const Candidate& a, const Candidate& b) {
    return a.prediction.iteration < b.prediction.iteration;
  });
  best.insert(place, std::move(candidate));
  if (best.size() > count) best.pop_back();
}

void keep_nearest(std::vector<Candidate>& nearest, Candidate candidate) {
  if (!nearest.empty() && nearest.front().prediction.memory.margin() >= candidate.prediction.memory.margin()) return;
  nearest.assign(1, std::move(candidate));
}

}  // namespace

Space whole_space(const model::Scenario& base) {
  Space space;
  space.tensor_model_parallel_size = divisors(base.gpus, base.cluster.gpus_per_node);
  space.pipeline_model_parallel_size = divisors(base.gpus, base.model.num_layers);
  space.virtual_pipeline_model_parallel_size = divisors(base.model.num_layers, kMostVirtualStages);
  space.context_parallel_size =
      divisors(base.gpus, std::max<std::int64_t>(1, base.model.seq_length / kFewestTokensOfContextRank));
  space.micro_batch_size = divisors(base.training.global_batch_size, 64);
  space.recompute_granularity = {RecomputeGranularity::none, RecomputeGranularity::selective,
                                 RecomputeGranularity::full};
  space.sequence_parallel = {false, true};
  space.zero_stage = {0, 1, 2, 3};
  space.schedule = {Schedule::one_f_one_b, Schedule::interleaved_one_f_one_b};
  // The fork whose ends are lighter is the one with zero-bubble schedules.
  if (base.stack.layer_split == model::LayerSplit::lighter_ends) {
    space.schedule.insert(space.schedule.end(),
                          {Schedule::zero_bubble_h1, Schedule::zero_bubble_1p, Schedule::zero_bubble_2p});
  }
  return space;
}

bool has_possible(const model::Scenario& base, const Space& space) {
  bool found = false;
  for_each(space, [&](const Degrees& degrees) {
    const model::Scenario scenario = with_degrees(base, degrees);
    found =
        why_impossible(scenario).empty() && contains(space.data_parallel_size, scenario.parallelism.data_parallel_size);
    return !found;
  });
  return found;
}

SearchResult search(const model::Scenario& base, const Space& space, const SearchOptions& options) {
  SearchResult result;
  for_each(space, [&](const Degrees& degrees) {
    ++result.considered;
    model::Scenario scenario = with_degrees(base, degrees);
    std::string reason = why_impossible(scenario);
    if (reason.empty() && !contains(space.data_parallel_size, scenario.parallelism.data_parallel_size)) {
      reason = "data_parallel_size is not among those asked for";
    }
    if (!reason.empty()) {
      ++result.impossible[reason];
      return true;
    }
    engine::Prediction prediction = engine::predict(scenario);
    const bool fitting = fits(prediction, options.max_memory);
    Candidate candidate{degrees, std::move(scenario), std::move(prediction)};
    if (fitting) {
      keep(result.candidates, std::move(candidate), options.best);
    } else {
      ++result.out_of_memory;
      keep_nearest(result.nearest, std::move(candidate));
    }
    return true;
  });
  if (!result.candidates.empty()) result.nearest.clear();
  return result;
}

}  // namespace shardsim::plan
