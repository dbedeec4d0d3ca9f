// How long each unit's passes take, given its ranks' slowness and jitter.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/event/program.hpp"
#include "sim/engine/event/variation.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::engine::event {

/// A tensor- or context-parallel group runs at the pace of its slowest rank, since its collectives wait for all: a pass
/// through a block takes as long as on the rank that is slowest in it.
class SlownessMap {
 public:
  SlownessMap(const model::Scenario& scenario, const Programs& programs, const Variation& variation,
              std::int32_t replicas);

  /// `at` tells passes of one unit apart. Adds the device's time to `busy`.
  [[nodiscard]] Ready after(std::size_t unit, std::int32_t sequence, std::uint64_t at, Ready ready,
                            Picoseconds& busy) const {
    if (jitters_) return after_jitter(unit, programs_.sequences[static_cast<std::size_t>(sequence)], at, ready, busy);
    const Passage& passage =
        passages_[class_of_[unit] * programs_.sequences.size() + static_cast<std::size_t>(sequence)];
    busy += passage.busy;
    return passage(ready);
  }
  /// Of the `layer`-th block of the sequence.
  [[nodiscard]] Slowness slowness(std::size_t unit, std::uint64_t at, std::uint64_t layer) const;

 private:
  [[nodiscard]] Ready after_jitter(std::size_t unit, const Sequence& sequence, std::uint64_t at, Ready ready,
                                   Picoseconds& busy) const;
  [[nodiscard]] Passage passage_of(const Sequence& sequence, Slowness slowness) const;

  const Programs& programs_;
  LogNormal distribution_;
  bool jitters_;
  /// By unit.
  std::vector<std::size_t> class_of_;
  /// By class of equally slow units.
  std::vector<Slowness> slowness_;
  /// By class and sequence.
  std::vector<Passage> passages_;
  /// With jitter: global ranks and their slowness, `ranks_per_unit_` for each unit.
  std::size_t ranks_per_unit_ = 1;
  std::vector<std::uint32_t> ranks_;
  std::vector<Slowness> rank_slowness_;
};

}  // namespace shardsim::engine::event
