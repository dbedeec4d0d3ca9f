// Ranks that are slower than others, and operators that take longer now and then.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/event/speed.hpp"

namespace shardsim::engine::event {

struct Straggler {
  std::int64_t rank = 0;
  /// Compute time over that of the others.
  double slow = 1.0;
};

struct Variation {
  std::vector<Straggler> stragglers;
  /// Standard deviation of the logarithm of each rank's slowness, and of each block's pass on it; 0 = none.
  double jitter = 0.0;
  std::uint64_t seed = 0;

  [[nodiscard]] bool any() const { return !stragglers.empty() || jitter > 0.0; }
};

/// A log-normal distribution with median 1, from a counter: the same key gives the same draw on any machine and in any
/// order. Quantiles are tabulated in integers; between them draws are linear, and tails end at 3.7 deviations.
class LogNormal {
 public:
  LogNormal(double deviation, std::uint64_t seed);

  [[nodiscard]] Slowness draw(std::uint64_t key) const;

 private:
  static constexpr unsigned kQuantileBits = 12;

  std::uint64_t seed_;
  std::array<Slowness, (std::size_t{1} << kQuantileBits) + 1> quantiles_;
};

}  // namespace shardsim::engine::event
