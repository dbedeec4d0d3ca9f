// Flows that come and go over time, sharing links max-min fairly. Knows nothing of training.
//
// A flow is given by the time that it takes undisturbed, when it moves at its own rate bound. It moves at that speed as
// long as the links that it uses can carry the bounds of all their flows, and then ends exactly that time after its
// start; otherwise max_min_rates() says how fast all of them are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/engine/network/max_min.hpp"
#include "sim/model/timeline.hpp"

namespace shardsim::engine::network {

using model::Picoseconds;

/// A path or a whole collective's links, registered once.
using RouteId = std::int32_t;
/// Numbers are used again after remove().
using FlowId = std::int32_t;

/// A flow's new finishing time.
struct Finish {
  FlowId flow = 0;
  Picoseconds time = 0;
};

/// Times are never before those of earlier calls. Rates and finishing times do not depend on the order of calls at one
/// time, nor (bit by bit) on flows that share no link, directly or through others.
///
/// Use: start() and remove() flows at one time, then settle() once, and put the finishing times that it returns in
/// the event queue. When such an event comes up, is_due() tells whether it still holds; then remove() the flow.
class FlowNetwork {
 public:
  /// Bytes per second, positive.
  explicit FlowNetwork(std::vector<double> capacities);

  /// A link appears once.
  RouteId add_route(std::vector<Use> uses);

  /// `undisturbed`: how long it takes at the bound (bytes per second, positive and finite).
  FlowId start(RouteId route, Picoseconds undisturbed, double rate_bound, Picoseconds now);
  /// Finished or given up.
  void remove(FlowId id, Picoseconds now);
  /// Shares the links anew where flows came or went since the last call. Returns the flows, new or old, whose finishing
  /// time changed; valid until the next call.
  const std::vector<Finish>& settle(Picoseconds now);

  /// The flow runs and ends now: an event with an earlier guess of the time is not due.
  [[nodiscard]] bool is_due(FlowId id, Picoseconds now) const;
  /// As of the last settle().
  [[nodiscard]] Picoseconds finish(FlowId id) const { return flows_[static_cast<std::size_t>(id)].finish; }
  [[nodiscard]] double rate(FlowId id) const { return flows_[static_cast<std::size_t>(id)].rate; }
  [[nodiscard]] std::size_t running() const { return flows_.size() - free_.size(); }

 private:
  struct Route {
    std::size_t first_use;
    std::size_t end_use;
  };
  struct RunningFlow {
    RouteId route = -1;
    double bound = 0.0;
    /// 0 before the first settle().
    double rate = 0.0;
    /// Picoseconds at the bound, as of `since`.
    double work = 0.0;
    Picoseconds since = 0;
    Picoseconds finish = -1;
    /// By use: where the flow stands among the link's members.
    std::vector<std::int32_t> places;
    /// The last gathering that met it.
    std::int64_t visit = 0;
  };
  struct Member {
    FlowId flow;
    std::int32_t use;
  };
  struct Link {
    double capacity = 0.0;
    double inverse_capacity = 0.0;
    Demand demand;
    std::vector<Member> members;
    std::int64_t visit = 0;
    std::int32_t local = 0;
    bool changed = false;
  };

  [[nodiscard]] Link& link_of(const Use& use) { return links_[static_cast<std::size_t>(use.link)]; }
  [[nodiscard]] char& full(LinkId link) { return full_[static_cast<std::size_t>(link)]; }
  void leave(Link& link, std::int32_t place);
  void mark_changed(LinkId index);
  void reach(FlowId id);
  void visit(LinkId index);
  void gather();
  void set_rate(FlowId id, double rate, Picoseconds now);

  std::vector<Link> links_;
  /// By link: its demand exceeds its capacity. Apart from the links, because large collectives look at thousands.
  std::vector<char> full_;
  std::vector<Route> routes_;
  std::vector<Use> uses_;
  std::vector<RunningFlow> flows_;
  std::vector<FlowId> free_;
  /// Since the last settle().
  std::vector<FlowId> started_;
  std::vector<LinkId> changed_;
  /// Flows of the parts that are shared anew.
  std::vector<FlowId> reached_;
  std::int64_t visit_ = 0;
  Filling filling_;
  std::vector<Finish> finishes_;
};

}  // namespace shardsim::engine::network
