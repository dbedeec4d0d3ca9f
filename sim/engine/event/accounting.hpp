// From what units played to terms, communication and utilisation.
#pragma once

#include <array>
#include <vector>

#include "sim/engine/event/player.hpp"
#include "sim/engine/prediction.hpp"
#include "sim/engine/time_terms.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::engine::event {

[[nodiscard]] Seconds seconds(Picoseconds time);

/// What one unit's program asks for in one iteration, at nominal speed.
struct Demand {
  /// Device time, of communication what is exposed.
  std::array<Picoseconds, kTerms> terms{};
  std::array<Picoseconds, cost::kGroups> communication{};
  std::array<Bytes, cost::kGroups> bytes{};
  Picoseconds host = 0;

  void add(const PassCost& pass, std::int64_t count) {
    host += count * pass.issue();
    for (std::size_t i = 0; i < kTerms; ++i) terms[i] += count * pass.terms()[i];
    for (std::size_t i = 0; i < cost::kGroups; ++i) {
      communication[i] += count * pass.communication()[i];
      bytes[i] += count * pass.bytes()[i];
    }
  }
  void add(model::Group group, Picoseconds time, Bytes size) {
    communication[cost::index_of(group)] += time;
    bytes[cost::index_of(group)] += size;
  }
  /// Communication that holds the device inside passes.
  [[nodiscard]] Picoseconds exposed() const;
};

[[nodiscard]] Demand demand_of(const Programs& programs, std::int32_t stage);

/// Where an iteration goes on a unit: nominal compute by term, stretched to what the unit's compute took, and its
/// waits.
[[nodiscard]] TermTimes terms_of(const Demand& demand, const Account& account, Picoseconds iteration);

[[nodiscard]] CommunicationByGroup communication_of(const Demand& demand, const Account& account,
                                                    const TermTimes& terms);

/// Of all units; neighbouring replicas that do the same are one entry.
[[nodiscard]] std::vector<Utilisation> utilisation(const model::Scenario& scenario, const Programs& programs,
                                                   const Player& player);

}  // namespace shardsim::engine::event
