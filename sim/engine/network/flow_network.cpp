#include "sim/engine/network/flow_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/check.hpp"

namespace shardsim::engine::network {

FlowNetwork::FlowNetwork(std::vector<double> capacities) : links_(capacities.size()), full_(capacities.size(), 0) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    SHARDSIM_CHECK(capacities[i] > 0.0 && std::isfinite(capacities[i]), "capacities are positive");
    links_[i].capacity = capacities[i];
    links_[i].inverse_capacity = 1.0 / capacities[i];
  }
}

RouteId FlowNetwork::add_route(std::vector<Use> uses) {
  routes_.push_back({uses_.size(), uses_.size() + uses.size()});
  uses_.insert(uses_.end(), uses.begin(), uses.end());
  return static_cast<RouteId>(routes_.size() - 1);
}

FlowId FlowNetwork::start(RouteId route, Picoseconds undisturbed, double rate_bound, Picoseconds now) {
  SHARDSIM_CHECK(rate_bound > 0.0 && std::isfinite(rate_bound), "a flow has a rate of its own");
  if (free_.empty()) {
    free_.push_back(static_cast<FlowId>(flows_.size()));
    flows_.emplace_back();
  }
  const FlowId id = free_.back();
  free_.pop_back();
  RunningFlow& flow = flows_[static_cast<std::size_t>(id)];
  flow.route = route;
  flow.bound = rate_bound;
  flow.rate = 0.0;
  flow.work = static_cast<double>(undisturbed);
  flow.since = now;
  flow.finish = -1;
  flow.places.clear();
  const auto [first, end] = routes_[static_cast<std::size_t>(route)];
  for (std::size_t i = first; i < end; ++i) {
    Link& link = link_of(uses_[i]);
    link.demand.add(uses_[i].weight, rate_bound, link.inverse_capacity);
    full(uses_[i].link) = link.demand.exceeds_capacity() ? 1 : 0;
    flow.places.push_back(static_cast<std::int32_t>(link.members.size()));
    link.members.push_back({id, static_cast<std::int32_t>(i - first)});
  }
  started_.push_back(id);
  return id;
}

/// The last member takes the place.
void FlowNetwork::leave(Link& link, std::int32_t place) {
  const Member last = link.members.back();
  link.members[static_cast<std::size_t>(place)] = last;
  flows_[static_cast<std::size_t>(last.flow)].places[static_cast<std::size_t>(last.use)] = place;
  link.members.pop_back();
}

void FlowNetwork::mark_changed(LinkId index) {
  Link& link = links_[static_cast<std::size_t>(index)];
  if (link.changed) return;
  link.changed = true;
  changed_.push_back(index);
}

void FlowNetwork::remove(FlowId id, Picoseconds now) {
  RunningFlow& flow = flows_[static_cast<std::size_t>(id)];
  SHARDSIM_CHECK(flow.route >= 0 && flow.since <= now, "only a running flow can end");
  const auto [first, end] = routes_[static_cast<std::size_t>(flow.route)];
  for (std::size_t i = first; i < end; ++i) {
    Link& link = link_of(uses_[i]);
    if (full(uses_[i].link) != 0) mark_changed(uses_[i].link);
    link.demand.take_away(uses_[i].weight, flow.bound, link.inverse_capacity);
    full(uses_[i].link) = link.demand.exceeds_capacity() ? 1 : 0;
    leave(link, flow.places[i - first]);
  }
  flow.route = -1;
  free_.push_back(id);
}

bool FlowNetwork::is_due(FlowId id, Picoseconds now) const {
  const RunningFlow& flow = flows_[static_cast<std::size_t>(id)];
  return flow.route >= 0 && flow.finish == now;
}

void FlowNetwork::reach(FlowId id) {
  RunningFlow& flow = flows_[static_cast<std::size_t>(id)];
  if (flow.route < 0 || flow.visit == visit_) return;
  flow.visit = visit_;
  reached_.push_back(id);
}

/// Members feel each other where the link is asked for too much, or was before one of them left.
void FlowNetwork::visit(LinkId index) {
  Link& link = links_[static_cast<std::size_t>(index)];
  if (link.visit == visit_) return;
  link.visit = visit_;
  link.local = full(index) != 0 ? filling_.add_link(link.capacity) : -1;
  for (const Member member : link.members) reach(member.flow);
}

/// From what changed, over the links that are asked for too much, to every flow that may feel it.
void FlowNetwork::gather() {
  ++visit_;
  filling_.clear();
  reached_.clear();
  for (const FlowId flow : started_) reach(flow);
  for (const LinkId index : changed_) {
    links_[static_cast<std::size_t>(index)].changed = false;
    visit(index);
  }
  // The list grows meanwhile.
  for (std::size_t next = 0; next < reached_.size(); ++next) {  // NOLINT(modernize-loop-convert)
    const RunningFlow& flow = flows_[static_cast<std::size_t>(reached_[next])];
    const auto [first, end] = routes_[static_cast<std::size_t>(flow.route)];
    filling_.add_flow(flow.bound);
    for (std::size_t i = first; i < end; ++i) {
      if (full(uses_[i].link) == 0) continue;
      visit(uses_[i].link);
      filling_.add_use(link_of(uses_[i]).local, uses_[i].weight);
    }
  }
  started_.clear();
  changed_.clear();
}

void FlowNetwork::set_rate(FlowId id, double rate, Picoseconds now) {
  RunningFlow& flow = flows_[static_cast<std::size_t>(id)];
  if (rate == flow.rate) return;
  flow.work -= static_cast<double>(now - flow.since) * (flow.rate / flow.bound);
  flow.since = now;
  flow.rate = rate;
  const Picoseconds left = std::llround(std::max(0.0, flow.work / (rate / flow.bound)));
  if (flow.finish == now + left) return;
  flow.finish = now + left;
  finishes_.push_back({id, flow.finish});
}

const std::vector<Finish>& FlowNetwork::settle(Picoseconds now) {
  finishes_.clear();
  if (started_.empty() && changed_.empty()) return finishes_;
  gather();
  const std::vector<double>& rates = filling_.solve();
  for (std::size_t i = 0; i < reached_.size(); ++i) set_rate(reached_[i], rates[i], now);
  return finishes_;
}

}  // namespace shardsim::engine::network
