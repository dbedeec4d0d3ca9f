// The data-parallel communication lane of one stage, shared by all replicas: collectives run one after another, each
// once every member has issued it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include "sim/engine/event/max_plus.hpp"

namespace shardsim::engine::event {

class DataLane {
 public:
  explicit DataLane(std::int32_t members) : members_{members} {}

  /// A member issues the `place`-th collective since the start of the run, `collective` of the stage's list, at `time`.
  void issue(std::int32_t place, std::int32_t collective, Picoseconds time) {
    const auto at = static_cast<std::size_t>(place - done_);
    if (at >= pending_.size()) pending_.resize(at + 1);
    Pending& pending = pending_[at];
    pending.collective = collective;
    pending.latest = std::max(pending.latest, time);
    ++pending.issued;
  }

  struct Start {
    std::int32_t collective = 0;
    Picoseconds time = 0;
  };
  /// The next collective, when everyone has issued it and the lane is free.
  [[nodiscard]] std::optional<Start> next() {
    if (running_ || pending_.empty() || pending_.front().issued < members_) return std::nullopt;
    running_ = true;
    start_ = std::max(pending_.front().latest, free_);
    return Start{pending_.front().collective, start_};
  }
  /// Of the one that runs.
  [[nodiscard]] Picoseconds started() const { return start_; }
  [[nodiscard]] std::int32_t running() const { return pending_.front().collective; }
  /// The running collective does not end before `end`.
  void expect(Picoseconds end) { end_ = end; }

  void finish(Picoseconds now) {
    active_ += now - start_;
    free_ = now;
    running_ = false;
    ++done_;
    pending_.pop_front();
  }

  /// Collectives finished since the start of the run.
  [[nodiscard]] std::int32_t done() const { return done_; }
  /// Time during which collectives ran, up to `now`.
  [[nodiscard]] Picoseconds active(Picoseconds now) const {
    return active_ + (running_ ? std::max<Picoseconds>(0, now - start_) : 0);
  }
  /// Work of `duration` that starts now and loses `share` of the time while a collective runs: a time that is close to
  /// its end, and not after it.
  [[nodiscard]] Picoseconds earliest_end(Picoseconds now, Picoseconds duration, double share) const {
    constexpr Picoseconds kRounding = 4;
    if (!running_ || start_ > now || end_ <= now) return now + duration;
    const auto slowed = static_cast<Picoseconds>(static_cast<double>(duration) / (1.0 - share));
    const auto lost = static_cast<Picoseconds>(share * static_cast<double>(end_ - now));
    return std::max(now + duration, now + std::min(slowed, duration + lost) - kRounding);
  }

 private:
  struct Pending {
    std::int32_t collective = 0;
    std::int32_t issued = 0;
    Picoseconds latest = 0;
  };

  std::int32_t members_;
  std::int32_t done_ = 0;
  std::deque<Pending> pending_;
  bool running_ = false;
  Picoseconds start_ = 0;
  Picoseconds end_ = 0;
  Picoseconds free_ = 0;
  Picoseconds active_ = 0;
};

}  // namespace shardsim::engine::event
