#include "sim/engine/event/pass_cost.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardsim::engine::event {
namespace {

constexpr double kPicosecondsPerSecond = 1e12;

/// Keeps the lines that are the largest for some slowness >= 0, by rising slope.
std::vector<Line> upper_envelope(std::vector<Line> lines) {
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return a.compute != b.compute ? a.compute < b.compute : a.fixed < b.fixed;
  });
  const auto crossing = [](const Line& a, const Line& b) {
    return static_cast<double>(a.fixed - b.fixed) / static_cast<double>(b.compute - a.compute);
  };
  std::vector<Line> hull;
  for (const Line& line : lines) {
    while (!hull.empty() && hull.back().fixed <= line.fixed) hull.pop_back();
    while (hull.size() > 1 && crossing(hull[hull.size() - 2], line) <= crossing(hull[hull.size() - 2], hull.back())) {
      hull.pop_back();
    }
    hull.push_back(line);
  }
  return hull;
}

}  // namespace

Picoseconds picoseconds(Seconds time) { return std::llround(time.value() * kPicosecondsPerSecond); }

PassCost::PassCost(const std::vector<PricedOperator>& priced, std::vector<model::Operator> operators)
    : operators_{std::move(operators)} {
  std::vector<Line> lates;
  const auto add_busy = [&lates](const Line& line) {
    for (Line& late : lates) late = late + line;
  };
  for (const PricedOperator& one : priced) {
    timed_.push_back({one.op, one.term, one.group, one.launches, picoseconds(one.host), picoseconds(one.device),
                      picoseconds(one.whole)});
    const TimedOperator& timed = timed_.back();
    const bool communicates = timed.communicates();
    const auto line = [communicates](Picoseconds host, Picoseconds device) {
      return communicates ? Line{host + device, 0} : Line{host, device};
    };
    const Line busy = line(0, timed.device);
    // As operator_passage(), in lines.
    add_busy(busy);
    lates.push_back(line(issue_ + timed.host / timed.launches, timed.device));
    if (timed.launches > 1) lates.push_back(line(issue_ + timed.host, timed.device / timed.launches));
    issue_ += timed.host;
    busy_ = busy_ + busy;
    terms_[static_cast<std::size_t>(timed.term)] += timed.device;
    if (communicates) {
      communication_[cost::index_of(timed.group)] += timed.whole;
      bytes_[cost::index_of(timed.group)] += operators_[timed.op].bytes;
    }
  }
  late_ = upper_envelope(std::move(lates));
}

Passage PassCost::at(Slowness slowness) const {
  Passage passage{issue_, busy_.at(slowness), Passage::kNever};
  for (const Line& late : late_) passage.late = std::max(passage.late, late.at(slowness));
  return passage;
}

}  // namespace shardsim::engine::event
