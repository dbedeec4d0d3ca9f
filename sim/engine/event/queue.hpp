// The event queue: a monotone radix queue over integer times (after the radix heap of Ahuja, Mehlhorn, Orlin & Tarjan
// 1990, with digits of six bits).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/base/check.hpp"

namespace shardsim::engine::event {

/// Pops by (time, order of pushing). Time only moves forward: a push before the last popped time is a bug.
/// An event waits at the highest digit in which its time differs from the last popped one, in the bucket of that digit.
/// The earliest bucket is dealt out to lower digits when its turn comes, so an event moves at most ten times and in
/// practice two or three. Events of equal time always share a bucket, in the order in which they were pushed.
template <class Payload>
class Queue {
 public:
  using Time = std::int64_t;
  struct Event {
    Time time;
    Payload payload;
  };

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The next event has the time of the last popped one.
  [[nodiscard]] bool has_due() const { return next_ < due_.size(); }
  /// Events popped so far.
  [[nodiscard]] std::uint64_t popped() const { return popped_; }

  void push(Time time, Payload payload) {
    SHARDSIM_CHECK(time >= now_, "an event in the past");
    insert({time, std::move(payload)});
    ++size_;
  }

  Event pop() {
    SHARDSIM_CHECK(size_ > 0, "pop from an empty queue");
    --size_;
    ++popped_;
    if (next_ == due_.size()) refill();
    return std::move(due_[next_++]);
  }

 private:
  static constexpr unsigned kDigitBits = 6;
  static constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  static constexpr std::size_t kLevels = 11;  // 66 bits

  using Bucket = std::vector<Event>;

  void insert(Event event) {
    const auto difference = static_cast<std::uint64_t>(event.time ^ now_);
    if (difference == 0) {
      due_.push_back(std::move(event));
      return;
    }
    const auto level = (static_cast<unsigned>(std::bit_width(difference)) - 1) / kDigitBits;
    const auto digit = static_cast<std::size_t>(event.time >> (kDigitBits * level)) % kDigits;
    occupied_[level] |= std::uint64_t{1} << digit;
    buckets_[level][digit].push_back(std::move(event));
  }

  /// The earliest waiting time becomes `now_`; its events become due, the others of its bucket move down.
  void refill() {
    due_.clear();
    next_ = 0;
    std::size_t level = 0;
    while (occupied_[level] == 0) ++level;
    const auto digit = static_cast<std::size_t>(std::countr_zero(occupied_[level]));
    occupied_[level] &= occupied_[level] - 1;
    Bucket& bucket = buckets_[level][digit];
    now_ = bucket.front().time;
    for (const Event& event : bucket) now_ = event.time < now_ ? event.time : now_;
    for (Event& event : bucket) insert(std::move(event));
    bucket.clear();
  }

  std::array<std::array<Bucket, kDigits>, kLevels> buckets_;
  /// Bit d: bucket d of the level holds events.
  std::array<std::uint64_t, kLevels> occupied_{};
  /// Events of the time `now_`, popped up to `next_`.
  Bucket due_;
  std::size_t next_ = 0;
  std::size_t size_ = 0;
  Time now_ = 0;
  std::uint64_t popped_ = 0;
};

}  // namespace shardsim::engine::event
