// Passes as max-plus linear maps from the times at which host and device are ready to the times at which they are
// ready again (Baccelli, Cohen, Olsder & Quadrat 1992, "Synchronization and Linearity"): composing maps is exact, so
// that a whole layer, or a whole chunk, is one event.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/model/timeline.hpp"

namespace shardsim::engine::event {

using model::Picoseconds;

/// When the host can issue next, and when the device has finished what was issued.
struct Ready {
  Picoseconds host = 0;
  Picoseconds device = 0;

  friend bool operator==(const Ready&, const Ready&) = default;
};

/// The lower triangular matrix ( host −∞ ; late busy ):
///   host' = host + issue,   device' = max(device + busy, host + late).
/// Other lanes need no rows: communication of a pass either holds the device or is awaited within the pass.
struct Passage {
  /// Less than any time, and still far from overflow.
  static constexpr Picoseconds kNever = INT64_MIN / 4;

  /// The host's time for all launches.
  Picoseconds issue = 0;
  /// The device's, were all launches early.
  Picoseconds busy = 0;
  /// From the host's start to the device's end, were the device free.
  Picoseconds late = kNever;

  [[nodiscard]] Ready operator()(Ready ready) const {
    return {ready.host + issue, std::max(ready.device + busy, ready.host + late)};
  }
  friend bool operator==(const Passage&, const Passage&) = default;
};

/// `launches` equal kernels that take `host` to issue and `device` to run in all: the device starts each when it is
/// issued and the one before has ended.
[[nodiscard]] constexpr Passage operator_passage(Picoseconds host, Picoseconds device, std::int64_t launches) {
  return {host, device, std::max(host / launches + device, host + device / launches)};
}

/// First one, then the other.
[[nodiscard]] constexpr Passage then(const Passage& first, const Passage& second) {
  return {first.issue + second.issue, first.busy + second.busy,
          std::max(first.late + second.busy, first.issue + second.late)};
}

/// The same pass `times` over, by squaring.
[[nodiscard]] constexpr Passage repeated(Passage pass, std::int64_t times) {
  Passage all;
  for (; times > 0; times /= 2) {
    if (times % 2 == 1) all = then(all, pass);
    pass = then(pass, pass);
  }
  return all;
}

}  // namespace shardsim::engine::event
