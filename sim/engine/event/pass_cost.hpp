// What one pass through one block costs on host and device, for any slowness of the compute.
#pragma once

#include <array>
#include <vector>

#include "sim/engine/block_time.hpp"
#include "sim/engine/event/max_plus.hpp"
#include "sim/engine/event/speed.hpp"

namespace shardsim::engine::event {

[[nodiscard]] Picoseconds picoseconds(Seconds time);

/// Time of communication plus time of compute, which scales: fixed + compute · slowness.
struct Line {
  Picoseconds fixed = 0;
  Picoseconds compute = 0;

  [[nodiscard]] Picoseconds at(Slowness slowness) const { return fixed + slowed(compute, slowness); }
  [[nodiscard]] Line operator+(const Line& other) const { return {fixed + other.fixed, compute + other.compute}; }
};

/// One operator in integers.
struct TimedOperator {
  /// Place in the block's operator list.
  std::size_t op = 0;
  Term term = Term::matrix_multiply;
  model::Group group = model::Group::none;
  int launches = 1;
  Picoseconds host = 0;
  /// Of communication what holds the device.
  Picoseconds device = 0;
  /// Of communication all of it.
  Picoseconds whole = 0;

  [[nodiscard]] bool communicates() const { return group != model::Group::none; }
  [[nodiscard]] Picoseconds device_at(Slowness slowness) const {
    return communicates() ? device : slowed(device, slowness);
  }
  [[nodiscard]] Passage at(Slowness slowness) const { return operator_passage(host, device_at(slowness), launches); }
};

/// The passage of a list of operators as a function of slowness: each entry is the largest of a few lines.
class PassCost {
 public:
  PassCost() = default;
  /// `operators` are those that `priced` speaks of.
  PassCost(const std::vector<PricedOperator>& priced, std::vector<model::Operator> operators);

  [[nodiscard]] Passage at(Slowness slowness) const;
  [[nodiscard]] const std::vector<TimedOperator>& timed() const { return timed_; }
  [[nodiscard]] const model::Operator& operator_of(const TimedOperator& timed) const { return operators_[timed.op]; }
  [[nodiscard]] Picoseconds issue() const { return issue_; }
  [[nodiscard]] const Line& busy() const { return busy_; }
  /// Device time by term, of communication what is exposed; sums to busy.
  [[nodiscard]] const std::array<Picoseconds, kTerms>& terms() const { return terms_; }
  /// Communication by group, hidden or not.
  [[nodiscard]] const std::array<Picoseconds, cost::kGroups>& communication() const { return communication_; }
  [[nodiscard]] const std::array<Bytes, cost::kGroups>& bytes() const { return bytes_; }

 private:
  std::vector<TimedOperator> timed_;
  std::vector<model::Operator> operators_;
  Picoseconds issue_ = 0;
  Line busy_;
  /// Upper envelope over slowness.
  std::vector<Line> late_;
  std::array<Picoseconds, kTerms> terms_{};
  std::array<Picoseconds, cost::kGroups> communication_{};
  std::array<Bytes, cost::kGroups> bytes_{};
};

}  // namespace shardsim::engine::event
