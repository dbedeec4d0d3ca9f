// When a measurement is long enough, and what is said of it.
#pragma once

#include <functional>
#include <vector>

#include "sim/base/units.hpp"

namespace shardsim::calibrate {

struct Timing {
  Seconds median{0.0};
  Seconds p10{0.0};
  Seconds p90{0.0};
  int samples = 0;
};

/// Median and tenths (nearest rank) of what was measured.
[[nodiscard]] Timing summarise(const std::vector<double>& seconds);

struct TimingPolicy {
  /// Runs before the first sample: pages, caches, the library's own buffers.
  int warm_up = 1;
  int fewest = 3;
  int most = 40;
  /// No fewer samples than fill this time, none more beyond `longest` once there are `fewest`.
  Seconds shortest{0.05};
  Seconds longest{1.0};
  /// Enough once the median is known this well: (p90 − p10) / (2 · median · √samples).
  double noise = 0.01;

  /// As many samples everywhere, whatever they show: what ranks run together they must run equally often.
  [[nodiscard]] static TimingPolicy fixed(int samples);
};

[[nodiscard]] double relative_noise(const Timing& timing);

/// Whether this rank would take another sample.
[[nodiscard]] bool wants_more(const TimingPolicy& policy, const std::vector<double>& seconds);

/// How the ranks that measure together agree; alone, everything is as it is.
struct Agreement {
  /// The largest over the ranks; all wait for all.
  std::function<double(double)> maximum = [](double value) { return value; };
};

struct Timed {
  /// Before each run, outside of the time: restores what the run changes, empties caches.
  std::function<void()> prepare;
  std::function<void()> run;
};

/// Seconds since some start.
using Clock = std::function<double()>;
[[nodiscard]] double steady_seconds();

/// All ranks take as many samples as the one that wants most, each at once with the others. The result is the slowest
/// rank's, each sample of which is its own time.
[[nodiscard]] Timing measure(const TimingPolicy& policy, const Timed& timed, const Agreement& agreement = {},
                             const Clock& clock = steady_seconds);

/// The same for work that ranks do together: a sample is the time until the last of them is ready.
[[nodiscard]] Timing measure_together(const TimingPolicy& policy, const Timed& timed, const Agreement& agreement,
                                      const Clock& clock = steady_seconds);

}  // namespace shardsim::calibrate
