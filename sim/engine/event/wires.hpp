// Sends between stages and data-parallel collectives as flows that share ports, cards and uplinks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/engine/event/program.hpp"
#include "sim/engine/network/fabric.hpp"
#include "sim/engine/network/flow_network.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::engine::event {

/// A flow takes what it takes undisturbed, and longer while its links carry more than they can. Collectives inside a
/// tensor- or context-parallel group are priced in their passes; that sibling groups share cards is in all prices.
class Wires {
 public:
  /// `replicas` are played; 1: the first stands for all, and its flows carry on its links what all of them would.
  Wires(const model::Scenario& scenario, const Programs& programs, std::int32_t replicas);

  /// Whether flows can meet at all.
  [[nodiscard]] static bool matter(const model::Scenario& scenario);

  [[nodiscard]] network::FlowId start_send(std::int32_t from_stage, std::int32_t to_stage, std::int32_t replica,
                                           Picoseconds now);
  [[nodiscard]] network::FlowId start_collective(std::int32_t stage, std::int32_t collective, Picoseconds now);
  [[nodiscard]] network::FlowNetwork& network() { return network_; }

 private:
  struct Route {
    network::RouteId id = 0;
    double rate_bound = 0.0;
  };

  [[nodiscard]] std::vector<std::int64_t> ranks_of(std::int64_t stage, std::int64_t replica) const;
  void append_sends(std::vector<network::Send>& sends, std::int64_t from, std::int64_t to, std::int64_t replica) const;
  [[nodiscard]] Route send_route(std::int64_t from, std::int64_t to, std::int64_t replica);
  [[nodiscard]] Route collective_route(std::int64_t stage, const Collective& collective);
  [[nodiscard]] Route add_route(std::vector<network::Use> uses, double rate_bound);
  void note_links();

  const model::Scenario& scenario_;
  const Programs& programs_;
  std::int32_t replicas_;
  network::Fabric fabric_;
  network::FlowNetwork network_;
  /// The first uplink.
  std::size_t uplinks_;
  /// By link: the played replicas send over it. Other links cannot slow anyone down, and are left out.
  std::vector<bool> used_by_sends_;
  /// Replicas whose sends meet those of the played ones.
  std::vector<std::int64_t> neighbours_;
  std::unordered_map<std::int64_t, Route> sends_;
  /// By stage and collective.
  std::vector<std::vector<Route>> collectives_;
};

}  // namespace shardsim::engine::event
