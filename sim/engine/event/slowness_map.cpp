#include "sim/engine/event/slowness_map.hpp"

#include <algorithm>
#include <unordered_map>

#include "sim/model/rank_grid.hpp"

namespace shardsim::engine::event {
namespace {

/// Slowness of every rank: its straggling and its own draw.
std::vector<Slowness> slowness_of_ranks(std::int64_t ranks, const Variation& variation, const LogNormal& distribution) {
  std::vector<Slowness> slowness(static_cast<std::size_t>(ranks), kNominal);
  if (variation.jitter > 0.0) {
    // Keys of passes start at 2^32.
    for (std::size_t rank = 0; rank < slowness.size(); ++rank) slowness[rank] = distribution.draw(rank);
  }
  for (const Straggler& straggler : variation.stragglers) {
    Slowness& rank = slowness[static_cast<std::size_t>(straggler.rank)];
    rank = slowed(rank, slowness_of(straggler.slow));
  }
  return slowness;
}

}  // namespace

SlownessMap::SlownessMap(const model::Scenario& scenario, const Programs& programs, const Variation& variation,
                         std::int32_t replicas)
    : programs_{programs}, distribution_{variation.jitter, variation.seed}, jitters_{variation.jitter > 0.0} {
  const model::Parallelism& parallelism = scenario.parallelism;
  const std::size_t units = programs.stages.size() * static_cast<std::size_t>(replicas);
  class_of_.assign(units, 0);
  if (!variation.any()) {
    slowness_ = {kNominal};
  } else {
    ranks_per_unit_ =
        static_cast<std::size_t>(parallelism.tensor_model_parallel_size * parallelism.context_parallel_size);
    rank_slowness_ = slowness_of_ranks(scenario.gpus, variation, distribution_);
    std::unordered_map<Slowness, std::size_t> classes;
    for (std::size_t unit = 0; unit < units; ++unit) {
      const model::RankPlace place{0, 0, static_cast<std::int64_t>(unit) % replicas,
                                   static_cast<std::int64_t>(unit) / replicas};
      Slowness slowest = 0;
      for (std::size_t i = 0; i < ranks_per_unit_; ++i) {
        model::RankPlace member = place;
        member.tensor = static_cast<std::int64_t>(i) % parallelism.tensor_model_parallel_size;
        member.context = static_cast<std::int64_t>(i) / parallelism.tensor_model_parallel_size;
        const std::int64_t rank = model::global_rank(parallelism, member);
        slowest = std::max(slowest, rank_slowness_[static_cast<std::size_t>(rank)]);
        if (jitters_) ranks_.push_back(static_cast<std::uint32_t>(rank));
      }
      const auto [known, is_new] = classes.emplace(slowest, slowness_.size());
      if (is_new) slowness_.push_back(slowest);
      class_of_[unit] = known->second;
    }
  }
  if (jitters_) return;
  for (const Slowness slowness : slowness_) {
    for (const Sequence& sequence : programs.sequences) passages_.push_back(passage_of(sequence, slowness));
  }
}

Passage SlownessMap::passage_of(const Sequence& sequence, Slowness slowness) const {
  Passage all;
  for (const Run& run : sequence) {
    all = then(all, repeated(programs_.passes[static_cast<std::size_t>(run.pass)].at(slowness), run.count));
  }
  return all;
}

Slowness SlownessMap::slowness(std::size_t unit, std::uint64_t at, std::uint64_t layer) const {
  if (!jitters_) return slowness_[class_of_[unit]];
  Slowness slowest = 0;
  for (std::size_t i = 0; i < ranks_per_unit_; ++i) {
    const std::uint32_t rank = ranks_[unit * ranks_per_unit_ + i];
    const std::uint64_t key = ((at << 10U) + layer + 1) << 32U | rank;
    slowest = std::max(slowest, slowed(rank_slowness_[rank], distribution_.draw(key)));
  }
  return slowest;
}

Ready SlownessMap::after_jitter(std::size_t unit, const Sequence& sequence, std::uint64_t at, Ready ready,
                                Picoseconds& busy) const {
  std::uint64_t layer = 0;
  for (const Run& run : sequence) {
    const PassCost& pass = programs_.passes[static_cast<std::size_t>(run.pass)];
    for (std::int32_t i = 0; i < run.count; ++i) {
      const Passage passage = pass.at(slowness(unit, at, layer++));
      busy += passage.busy;
      ready = passage(ready);
    }
  }
  return ready;
}

}  // namespace shardsim::engine::event
