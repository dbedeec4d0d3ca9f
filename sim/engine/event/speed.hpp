// How much longer compute takes on a rank than on the device of the profile, as an integer, so that results do not
// depend on a machine's arithmetic.
#pragma once

#include <cstdint>

#include "sim/model/timeline.hpp"

namespace shardsim::engine::event {

/// Time over nominal time, in units of 2^-20.
using Slowness = std::int64_t;
inline constexpr Slowness kNominal = Slowness{1} << 20;

/// The nearest one to a ratio.
[[nodiscard]] constexpr Slowness slowness_of(double ratio) {
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): std::llround is not constexpr.
  return static_cast<Slowness>(ratio * static_cast<double>(kNominal) + 0.5);
}

/// `time` · slowness, rounded down; exact for kNominal.
[[nodiscard]] constexpr model::Picoseconds slowed(model::Picoseconds time, Slowness slowness) {
  return time / kNominal * slowness + time % kNominal * slowness / kNominal;
}

}  // namespace shardsim::engine::event
