#include "sim/plan/largest.hpp"

#include <algorithm>
#include <utility>

#include "sim/plan/sizing.hpp"

namespace shardsim::plan {
namespace {

constexpr std::int64_t kHeadsOfStep = 8;
constexpr std::int64_t kLayersOfStep = 4;
constexpr std::int64_t kTokensOfStep = 1024;
/// Beyond this nothing is looked for.
constexpr std::int64_t kMostSteps = 1 << 14;

std::int64_t step_of(const model::Scenario& base, Dimension dimension) {
  switch (dimension) {
    case Dimension::hidden:
      return kHeadsOfStep * base.model.kv_channels;
    case Dimension::layers:
      return kLayersOfStep;
    case Dimension::micro_batch_size:
      return 1;
    case Dimension::seq_length:
      return kTokensOfStep;
  }
  return 1;
}

std::int64_t scaled(std::int64_t value, std::int64_t numerator, std::int64_t denominator) {
  return std::max<std::int64_t>(1, value * numerator / denominator);
}

/// A search of one value.
struct Attempt {
  std::optional<Candidate> fits;
  Bytes excess{0};
};

Attempt attempt(const model::Scenario& base, Dimension dimension, std::int64_t value) {
  const model::Scenario scenario = with_dimension(base, dimension, value);
  Space space = narrowed_space(scenario);
  if (dimension == Dimension::micro_batch_size) space.micro_batch_size = {value};
  SearchOptions options;
  options.best = 1;
  SearchResult found = search(scenario, space, options);
  Attempt result;
  if (!found.candidates.empty()) {
    result.fits = std::move(found.candidates.front());
  } else if (!found.nearest.empty()) {
    result.excess = Bytes{0} - found.nearest.front().prediction.memory.margin();
  }
  return result;
}

}  // namespace

model::Scenario with_dimension(const model::Scenario& base, Dimension dimension, std::int64_t value) {
  model::Scenario scenario = base;
  model::Model& model = scenario.model;
  switch (dimension) {
    case Dimension::hidden: {
      const std::int64_t heads = value / model.kv_channels;
      const bool grouped = model.num_query_groups < model.num_attention_heads;
      model.num_query_groups = grouped ? model.num_query_groups : heads;
      model.num_attention_heads = heads;
      // In steps of 64, as wide as it was.
      model.ffn_hidden_size = scaled(base.model.ffn_hidden_size, value, 64 * base.model.hidden_size) * 64;
      model.hidden_size = value;
      break;
    }
    case Dimension::layers:
      model.num_layers = value;
      break;
    case Dimension::micro_batch_size:
      scenario.training.micro_batch_size = value;
      scenario.training.global_batch_size = value * base.gpus;
      break;
    case Dimension::seq_length:
      model.seq_length = value;
      model.max_position_embeddings = std::max(model.max_position_embeddings, value);
      break;
  }
  return scenario;
}

std::optional<Largest> largest_that_fits(const model::Scenario& base, Dimension dimension,
                                         const std::function<bool()>& proceed) {
  const std::int64_t step = step_of(base, dimension);
  Largest largest;
  largest.step = step;
  std::int64_t fits = 0;
  std::int64_t too_many = 0;
  const auto try_steps = [&](std::int64_t steps) {
    Attempt tried = attempt(base, dimension, steps * step);
    if (tried.fits) {
      fits = steps;
      largest.candidate = std::move(*tried.fits);
    } else {
      too_many = steps;
      largest.excess = tried.excess;
    }
  };
  for (std::int64_t steps = 1; too_many == 0 && steps <= kMostSteps && (!proceed || proceed()); steps *= 2) {
    try_steps(steps);
  }
  while (too_many - fits > 1 && (!proceed || proceed())) try_steps(fits + (too_many - fits) / 2);
  // Rounder numbers divide over more layouts: what bisection took for the end may not be it.
  for (std::int64_t round = 2; fits > 0 && round <= 16 && (!proceed || proceed()); round *= 2) {
    const std::int64_t before = fits;
    try_steps((fits / round + 1) * round);
    if (fits > before) round = 1;
  }
  if (fits == 0) return {};
  too_many = std::max(too_many, fits + 1);
  largest.value = fits * step;
  largest.too_large = too_many * step;
  return largest;
}

}  // namespace shardsim::plan
