#include "sim/engine/network/max_min.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/base/check.hpp"

namespace shardsim::engine::network {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A rate that is not yet known; rates are never negative.
constexpr double kRising = -1.0;
/// Relative: well above rounding, well below what anybody measures.
constexpr double kTolerance = 1e-9;

constexpr std::int64_t kWholeLink = std::int64_t{1} << 47;
/// Demand up to here counts as capacity. Less than kTolerance, so that filling gives such flows their bounds too.
constexpr std::int64_t kFullLink = kWholeLink + kWholeLink / 10'000'000'000;

/// Share of the link in units of 2^-47; at least kWholeLink: fills it alone.
std::int64_t share(Weight weight, double rate_bound, double inverse_capacity) {
  const double part = ratio_of(weight) * rate_bound * inverse_capacity;
  return part > 1.0 ? 2 * kWholeLink : std::llround(part * static_cast<double>(kWholeLink));
}

}  // namespace

void Demand::add(Weight weight, double rate_bound, double inverse_capacity) {
  const std::int64_t added = share(weight, rate_bound, inverse_capacity);
  if (added > kFullLink) {
    ++fillers_;
  } else {
    shares_ += added;
  }
}

void Demand::take_away(Weight weight, double rate_bound, double inverse_capacity) {
  const std::int64_t taken = share(weight, rate_bound, inverse_capacity);
  if (taken > kFullLink) {
    --fillers_;
  } else {
    shares_ -= taken;
  }
}

bool Demand::exceeds_capacity() const { return fillers_ > 0 || shares_ > kFullLink; }

void Filling::clear() {
  links_.clear();
  bounds_.clear();
  first_use_.clear();
  uses_.clear();
}

std::int32_t Filling::add_link(double capacity) {
  Link link;
  link.remaining = capacity;
  links_.push_back(link);
  return static_cast<std::int32_t>(links_.size() - 1);
}

void Filling::add_flow(double rate_bound) {
  bounds_.push_back(rate_bound);
  first_use_.push_back(uses_.size());
}

void Filling::add_use(std::int32_t link, Weight weight) {
  uses_.push_back({link, weight});
  links_[static_cast<std::size_t>(link)].open += weight;
}

void Filling::index_links() {
  first_use_.push_back(uses_.size());
  flows_of_links_.resize(uses_.size());
  for (const LocalUse& use : uses_) ++links_[static_cast<std::size_t>(use.link)].first_flow;
  std::size_t end = 0;
  for (Link& link : links_) link.first_flow = end += link.first_flow;
  for (std::size_t flow = bounds_.size(); flow-- > 0;) {
    for (std::size_t use = first_use_[flow]; use < first_use_[flow + 1]; ++use) {
      flows_of_links_[--links_[static_cast<std::size_t>(uses_[use].link)].first_flow] = static_cast<std::int32_t>(flow);
    }
  }
}

void Filling::push_level(std::int32_t index) {
  Link& link = links_[static_cast<std::size_t>(index)];
  if (link.open == 0) return;
  link.level = std::max(link.floor, link.remaining / ratio_of(link.open));
  heap_.emplace_back(link.level, index);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

double Filling::lowest_level() {
  while (!heap_.empty()) {
    const auto [level, index] = heap_.front();
    const Link& link = links_[static_cast<std::size_t>(index)];
    if (link.open > 0 && link.level == level) return level;
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
  }
  return kInfinity;
}

bool Filling::skip_stopped() {
  const auto stopped = [this](std::int32_t flow) { return rates_[static_cast<std::size_t>(flow)] != kRising; };
  while (next_bound_ < by_bound_.size() && stopped(by_bound_[next_bound_])) ++next_bound_;
  return next_bound_ < by_bound_.size();
}

double Filling::lowest_bound() const { return bounds_[static_cast<std::size_t>(by_bound_[next_bound_])]; }

void Filling::stop(std::int32_t flow, double rate) {
  const auto index = static_cast<std::size_t>(flow);
  if (rates_[index] != kRising) return;
  rates_[index] = rate;
  for (std::size_t use = first_use_[index]; use < first_use_[index + 1]; ++use) {
    Link& link = links_[static_cast<std::size_t>(uses_[use].link)];
    if (link.closing == 0) touched_.push_back(uses_[use].link);
    link.closing += uses_[use].weight;
  }
}

void Filling::stop_at_bound(double bound) {
  while (skip_stopped() && lowest_bound() == bound) stop(by_bound_[next_bound_], bound);
}

void Filling::stop_at_level(double level) {
  while (lowest_level() == level && !heap_.empty()) {
    const auto index = static_cast<std::size_t>(heap_.front().second);
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    const std::size_t end = index + 1 < links_.size() ? links_[index + 1].first_flow : uses_.size();
    for (std::size_t i = links_[index].first_flow; i < end; ++i) stop(flows_of_links_[i], level);
  }
}

/// Links lose what this round's flows took, all at once: the order of the flows is not seen.
void Filling::end_round(double rate) {
  for (const std::int32_t index : touched_) {
    Link& link = links_[static_cast<std::size_t>(index)];
    link.remaining -= rate * ratio_of(link.closing);
    link.open -= link.closing;
    link.closing = 0;
    link.floor = rate;
    push_level(index);
  }
  touched_.clear();
}

const std::vector<double>& Filling::solve() {
  if (links_.empty()) {
    rates_ = bounds_;
    return rates_;
  }
  index_links();
  rates_.assign(bounds_.size(), kRising);
  by_bound_.clear();
  heap_.clear();
  next_bound_ = 0;
  for (std::size_t flow = 0; flow < bounds_.size(); ++flow) by_bound_.push_back(static_cast<std::int32_t>(flow));
  std::sort(by_bound_.begin(), by_bound_.end(), [this](std::int32_t a, std::int32_t b) {
    return bounds_[static_cast<std::size_t>(a)] < bounds_[static_cast<std::size_t>(b)];
  });
  for (std::size_t link = 0; link < links_.size(); ++link) push_level(static_cast<std::int32_t>(link));
  while (skip_stopped()) {
    const double bound = lowest_bound();
    const double level = lowest_level();
    if (bound <= level * (1.0 + kTolerance)) {
      stop_at_bound(bound);
      end_round(bound);
    } else {
      stop_at_level(level);
      end_round(level);
    }
  }
  return rates_;
}

std::vector<double> max_min_rates(const std::vector<double>& capacities, const std::vector<Flow>& flows) {
  std::vector<Demand> demands(capacities.size());
  for (const double capacity : capacities)
    SHARDSIM_CHECK(capacity > 0.0 && capacity < kInfinity, "capacities are positive");
  for (const Flow& flow : flows) {
    for (const Use& use : flow.uses) {
      const auto link = static_cast<std::size_t>(use.link);
      demands[link].add(use.weight, flow.rate_bound, 1.0 / capacities[link]);
    }
  }
  Filling filling;
  std::vector<std::int32_t> local(capacities.size(), -1);
  for (std::size_t link = 0; link < capacities.size(); ++link) {
    if (demands[link].exceeds_capacity()) local[link] = filling.add_link(capacities[link]);
  }
  for (const Flow& flow : flows) {
    filling.add_flow(flow.rate_bound);
    for (const Use& use : flow.uses) {
      const std::int32_t link = local[static_cast<std::size_t>(use.link)];
      if (link >= 0) filling.add_use(link, use.weight);
    }
  }
  return filling.solve();
}

}  // namespace shardsim::engine::network
