// A whole training run: how long it takes with its checkpoints and failures, what it costs, what energy it takes.
#pragma once

#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/engine/prediction.hpp"
#include "sim/hardware/price.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::plan {

/// A number and its 80 % interval.
struct Estimate {
  double expected = 0.0;
  double p10 = 0.0;
  double p90 = 0.0;
};

/// How often jobs are interrupted, and what an interruption costs.
struct Reliability {
  /// Interruptions counted in so many GPU hours. Default: 419 unexpected ones of 16,384 H100 in 54 days
  /// (Llama Team 2024, "The Llama 3 Herd of Models", section 3.3.4).
  double failures = 419.0;
  double gpu_hours = 16384.0 * 54.0 * 24.0;
  /// From an interruption to the first new iteration; Jiang et al. (2024), "MegaScale": found and diagnosed in less
  /// than 10 minutes on average.
  Seconds restart{600.0};
  /// Storage per GPU that takes part in writing a checkpoint: 2 TB/s sustained for 16,384 GPUs (Llama Team 2024,
  /// section 3.3.1).
  BytesPerSecond checkpoint_bandwidth_per_gpu{2e12 / 16384.0};
  /// Useful work between two checkpoints; 0 = the best by Daly (2006).
  Seconds checkpoint_interval{0.0};
};

/// What a run is paid for.
struct Economics {
  /// USD per GPU and hour; p10 and p90 the lowest and the highest listed.
  Estimate usd_per_gpu_hour;
  double device_watts = 0.0;
  /// Energy of the data centre over that of its computers; 1.58 is the industry's average (Uptime Institute 2023).
  double power_usage_effectiveness = 1.58;
};

/// Mean time between interruptions of a job on `gpus` GPUs.
[[nodiscard]] Seconds mean_time_between_failures(const Reliability& reliability, std::int64_t gpus);

/// 80 % interval of the mean of a Poisson distribution of which `count` was drawn: the chi-square limits in the
/// approximation of Wilson & Hilferty (1931); exact to 0.5 % from count 2 on.
[[nodiscard]] Estimate poisson_interval(double count);

/// Parameters and optimizer state of the whole job, each once: what a checkpoint holds.
[[nodiscard]] Bytes checkpoint_bytes(const model::Scenario& scenario);

/// Interval of useful work that takes the least time in all, to first order: sqrt(2 d M) (Young 1974).
[[nodiscard]] Seconds young_interval(Seconds checkpoint, Seconds between_failures);

/// The same to higher order (Daly 2006, equation 37): sqrt(2dM) (1 + sqrt(d/2M)/3 + d/2M/9) - d, or M from d = 2M on.
[[nodiscard]] Seconds daly_interval(Seconds checkpoint, Seconds between_failures);

/// One run as a renewal process: `work` in segments of `interval`, each closed by a checkpoint; a failure at any moment
/// costs a restart and the segment begins anew.
struct Segments {
  Seconds work;
  Seconds interval;
  Seconds checkpoint;
  Seconds restart;
  Seconds between_failures;
};

/// Expected wall-clock time: M exp(R/M) (exp((t + d)/M) - 1) W/t (Daly 2006, equation 20).
[[nodiscard]] Seconds expected_wall_clock(const Segments& run);

/// Standard deviation of the wall-clock time by chance alone: failures are Poisson; each costs the restart and a part
/// of its segment, uniform between nothing and all of it. Precondition: segments are short against the time between
/// failures.
[[nodiscard]] Seconds wall_clock_deviation(const Segments& run);

/// Share of an iteration in which the device computes.
[[nodiscard]] double compute_share(const engine::Prediction& prediction);

/// Everything that a run comes to.
struct RunEstimate {
  double iterations = 0.0;
  /// Iterations alone, without checkpoints and failures.
  Seconds productive;
  Bytes checkpoint;
  Seconds checkpoint_time;
  Seconds checkpoint_interval;
  Seconds between_failures;
  double expected_failures = 0.0;
  /// productive / expected wall-clock.
  double goodput = 0.0;
  /// Seconds.
  Estimate wall_clock;
  Estimate energy_kwh;
  Estimate usd;
};

/// Intervals: iteration time, failure rate, chance, price and power one at a time at their own limits, added as the
/// squares of their logarithms (GUM, JCGM 100:2008, 5.1.2). Energy: the device's power between that of compute alone
/// and all of it all the time (which is how Llama 3's model card counts), expected half-way.
[[nodiscard]] RunEstimate estimate_run(const model::Scenario& scenario, const engine::Prediction& prediction,
                                       double tokens, const Reliability& reliability, const Economics& economics);

/// One run, played failure by failure; the same seed gives the same run.
[[nodiscard]] Seconds simulate_wall_clock(const Segments& run, std::uint64_t seed);

}  // namespace shardsim::plan
