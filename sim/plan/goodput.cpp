#include "sim/plan/goodput.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "sim/base/check.hpp"
#include "sim/base/random.hpp"
#include "sim/memory/model_state.hpp"

namespace shardsim::plan {
namespace {

constexpr double kSecondsPerHour = 3600.0;
/// 90 % quantile of the standard normal distribution.
constexpr double kDeviationsOfP90 = 1.2815515655446004;

/// Root of the sum of squares of logarithmic distances.
double combined(std::initializer_list<double> ratios) {
  double squares = 0.0;
  for (const double ratio : ratios) squares += std::log(ratio) * std::log(ratio);
  return std::exp(std::sqrt(squares));
}

double square(double x) { return x * x; }

/// Wilson & Hilferty (1931): half a chi-square of 2 `count` degrees of freedom, `deviations` from its median.
double half_chi_square(double count, double deviations) {
  const double ninth = 1.0 / (9.0 * count);
  const double root = std::max(0.0, 1.0 - ninth + deviations * std::sqrt(ninth));
  return count * root * root * root;
}

Seconds time_of(const std::vector<engine::TimeTerm>& terms, std::initializer_list<std::string_view> names) {
  Seconds sum{0.0};
  for (const engine::TimeTerm& term : terms) {
    if (std::find(names.begin(), names.end(), term.name) != names.end()) sum += term.time;
  }
  return sum;
}

/// The same with another iteration time and another time between failures; the checkpoint interval stays.
Seconds wall_clock_with(Segments run, double slowdown, double failure_ratio) {
  run.work = run.work * slowdown;
  run.between_failures = run.between_failures / failure_ratio;
  return expected_wall_clock(run);
}

Estimate wall_clock_interval(const Segments& run, const engine::Prediction& prediction, const Estimate& failures) {
  const double expected = expected_wall_clock(run).value();
  const double chance = kDeviationsOfP90 * wall_clock_deviation(run).value() / expected;
  const auto ratio = [&](Seconds iteration, double failure_count) {
    const double slowdown = iteration / prediction.iteration;
    const double more_failures = failure_count / failures.expected;
    return combined({wall_clock_with(run, slowdown, 1.0).value() / expected,
                     wall_clock_with(run, 1.0, more_failures).value() / expected, 1.0 + chance});
  };
  return {expected, expected / ratio(prediction.iteration_p10, failures.p10),
          expected * ratio(prediction.iteration_p90, failures.p90)};
}

/// A product of two independent estimates and a constant.
Estimate product(const Estimate& a, const Estimate& b, double factor) {
  const double expected = a.expected * b.expected * factor;
  if (expected == 0.0) return {};
  return {expected, expected / combined({a.expected / a.p10, b.expected / b.p10}),
          expected * combined({a.p90 / a.expected, b.p90 / b.expected})};
}

}  // namespace

Seconds mean_time_between_failures(const Reliability& reliability, std::int64_t gpus) {
  return Seconds{kSecondsPerHour * reliability.gpu_hours / (reliability.failures * static_cast<double>(gpus))};
}

Estimate poisson_interval(double count) {
  return {count, half_chi_square(count, -kDeviationsOfP90), half_chi_square(count + 1.0, kDeviationsOfP90)};
}

Bytes checkpoint_bytes(const model::Scenario& scenario) {
  model::Scenario unsharded = scenario;
  unsharded.parallelism.zero_stage = 0;
  unsharded.training.offload = model::Offload::none;
  Bytes sum{0};
  for (const model::Stage& stage : model::layout(scenario.model, scenario.parallelism, scenario.stack)) {
    const memory::ModelState state = memory::model_state(unsharded, stage);
    sum += state.parameters + state.optimizer;
  }
  return sum * scenario.parallelism.tensor_model_parallel_size;
}

Seconds young_interval(Seconds checkpoint, Seconds between_failures) {
  return Seconds{std::sqrt(2.0 * checkpoint.value() * between_failures.value())};
}

Seconds daly_interval(Seconds checkpoint, Seconds between_failures) {
  const double ratio = checkpoint / (2.0 * between_failures);
  if (ratio >= 1.0) return between_failures;
  return young_interval(checkpoint, between_failures) * (1.0 + std::sqrt(ratio) / 3.0 + ratio / 9.0) - checkpoint;
}

Seconds expected_wall_clock(const Segments& run) {
  const double segments = run.work / run.interval;
  return run.between_failures * (std::exp(run.restart / run.between_failures) *
                                 std::expm1((run.interval + run.checkpoint) / run.between_failures) * segments);
}

Seconds wall_clock_deviation(const Segments& run) {
  const double failures = expected_wall_clock(run) / run.between_failures;
  const double restart = run.restart.value();
  const double segment = (run.interval + run.checkpoint).value();
  return Seconds{std::sqrt(failures * (square(restart) + restart * segment + square(segment) / 3.0))};
}

double compute_share(const engine::Prediction& prediction) {
  return time_of(prediction.time, {"matrix_multiply", "attention", "memory_bound", "recompute", "optimizer"}) /
         prediction.iteration;
}

RunEstimate estimate_run(const model::Scenario& scenario, const engine::Prediction& prediction, double tokens,
                         const Reliability& reliability, const Economics& economics) {
  RunEstimate run;
  const auto batch = static_cast<double>(scenario.training.global_batch_size);
  run.iterations = std::ceil(tokens / (batch * static_cast<double>(scenario.model.seq_length)));
  run.productive = prediction.iteration * run.iterations;
  run.checkpoint = checkpoint_bytes(scenario);
  const auto gpus = static_cast<double>(scenario.gpus);
  run.checkpoint_time = run.checkpoint / BytesPerSecond{reliability.checkpoint_bandwidth_per_gpu.value() * gpus};
  run.between_failures = mean_time_between_failures(reliability, scenario.gpus);
  const bool given = reliability.checkpoint_interval.value() > 0.0;
  const Seconds best = daly_interval(run.checkpoint_time, run.between_failures);
  run.checkpoint_interval = std::min(given ? reliability.checkpoint_interval : best, run.productive);
  const Segments segments{run.productive, run.checkpoint_interval, run.checkpoint_time, reliability.restart,
                          run.between_failures};
  run.wall_clock = wall_clock_interval(segments, prediction, poisson_interval(reliability.failures));
  run.expected_failures = run.wall_clock.expected / run.between_failures.value();
  run.goodput = run.productive.value() / run.wall_clock.expected;
  const double gpu_hours_per_second = gpus / kSecondsPerHour;
  run.usd = product(run.wall_clock, economics.usd_per_gpu_hour, gpu_hours_per_second);
  const double busy = compute_share(prediction);
  run.energy_kwh =
      product(run.wall_clock, {0.5 * (1.0 + busy), busy, 1.0},
              gpu_hours_per_second * economics.device_watts / 1000.0 * economics.power_usage_effectiveness);
  return run;
}

Seconds simulate_wall_clock(const Segments& run, std::uint64_t seed) {
  std::uint64_t draws = 0;
  const auto draw = [&] { return run.between_failures * -std::log(uniform(seed, draws++)); };
  Seconds clock{0.0};
  Seconds failure = draw();
  /// Goes on for `length`, or to a failure: then false.
  const auto survives = [&](Seconds length) {
    const bool fine = failure - clock >= length;
    clock = fine ? clock + length : failure;
    if (!fine) failure = clock + draw();
    return fine;
  };
  const auto restart = [&] {
    while (!survives(run.restart)) continue;
  };
  for (Seconds left = run.work; left.value() > 0.0; left -= run.interval) {
    while (!survives(run.interval + run.checkpoint)) restart();
  }
  return clock;
}

}  // namespace shardsim::plan
