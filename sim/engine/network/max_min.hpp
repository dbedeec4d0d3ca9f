// Max-min fair rates of flows that share links: no flow can be faster without a slower one (or one as slow) losing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace shardsim::engine::network {

using LinkId = std::int32_t;

/// Bytes on a link per byte of a flow, in units of 2^-40: integers, so that sums are exact in any order, and one flow
/// with k times the weight loads a link bit by bit as k flows do. The weights on one link sum to less than 2^23.
using Weight = std::int64_t;
inline constexpr Weight kUnitWeight = Weight{1} << 40;

/// The nearest weight to a positive ratio.
[[nodiscard]] constexpr Weight weight_of(double ratio) {
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): std::llround is not constexpr.
  return static_cast<Weight>(ratio * static_cast<double>(kUnitWeight) + 0.5);
}
[[nodiscard]] constexpr double ratio_of(Weight weight) {
  return static_cast<double>(weight) / static_cast<double>(kUnitWeight);
}

struct Use {
  LinkId link = 0;
  Weight weight = kUnitWeight;
};

struct Flow {
  std::vector<Use> uses;
  /// Of its own, whatever else runs; bytes per second.
  double rate_bound = std::numeric_limits<double>::infinity();
};

/// Rates (bytes per second, in the order of the flows) by progressive filling (Bertsekas & Gallager 1992, section
/// 6.5.2): all rates rise together; a flow stops at its bound, or when a link that it uses is full. Capacities are in
/// bytes per second and positive. A bound that a link misses by less than 1e-9 counts as reached. Neither the order of
/// flows or links nor flows on other links change a bit of a rate. A flow without uses and bound is infinitely fast.
[[nodiscard]] std::vector<double> max_min_rates(const std::vector<double>& capacities, const std::vector<Flow>& flows);

/// What flows at their bounds would ask of a link; exact under adding and taking away.
class Demand {
 public:
  /// A use of a link of 1/`inverse_capacity` by a flow with this bound.
  void add(Weight weight, double rate_bound, double inverse_capacity);
  void take_away(Weight weight, double rate_bound, double inverse_capacity);
  /// More is asked than there is. Any other link slows nobody down and may be left out.
  [[nodiscard]] bool exceeds_capacity() const;

 private:
  /// Shares of the capacity, in units of 2^-47, of the flows that would not fill the link alone.
  std::int64_t shares_ = 0;
  std::int64_t fillers_ = 0;
};

/// Progressive filling over a subset of links and flows; keeps its memory from one problem to the next.
class Filling {
 public:
  void clear();
  /// Index of the link in this problem.
  std::int32_t add_link(double capacity);
  /// Starts a flow; its uses follow.
  void add_flow(double rate_bound);
  void add_use(std::int32_t link, Weight weight);
  /// By flow, in the order of adding.
  [[nodiscard]] const std::vector<double>& solve();

 private:
  struct Link {
    double remaining = 0.0;
    /// Of the flows that still rise.
    Weight open = 0;
    /// Of the flows that stop in this round.
    Weight closing = 0;
    /// Rate of the flows that stopped last: the others are no slower, whatever rounding says.
    double floor = 0.0;
    double level = 0.0;
    std::size_t first_flow = 0;
  };
  struct LocalUse {
    std::int32_t link;
    Weight weight;
  };
  /// A link and the rate at which it fills.
  using Level = std::pair<double, std::int32_t>;

  void index_links();
  void push_level(std::int32_t index);
  [[nodiscard]] double lowest_level();
  /// Moves next_bound_ to a flow that still rises; false: there is none.
  [[nodiscard]] bool skip_stopped();
  [[nodiscard]] double lowest_bound() const;
  void stop_at_bound(double bound);
  void stop_at_level(double level);
  void stop(std::int32_t flow, double rate);
  void end_round(double rate);

  std::vector<Link> links_;
  std::vector<double> bounds_;
  std::vector<std::size_t> first_use_;
  std::vector<LocalUse> uses_;
  /// The flows of each link, from Link::first_flow on.
  std::vector<std::int32_t> flows_of_links_;
  std::vector<std::int32_t> by_bound_;
  std::size_t next_bound_ = 0;
  std::vector<Level> heap_;
  std::vector<std::int32_t> touched_;
  std::vector<double> rates_;
};

}  // namespace shardsim::engine::network
