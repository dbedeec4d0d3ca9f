// The smallest and the cheapest cluster that trains a model on so many tokens before a deadline.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/plan/goodput.hpp"
#include "sim/plan/search.hpp"

namespace shardsim::plan {

/// What is asked for.
struct Goal {
  double tokens = 0.0;
  Seconds deadline{0.0};
  /// USD; 0 = none.
  double budget = 0.0;
};

struct SizingOptions {
  Reliability reliability;
  Economics economics;
  std::int64_t most_gpus = 1 << 17;
  int threads = 1;
  /// Called before every search; returns false to stop, which then gives what is done.
  std::function<bool()> proceed;
};

/// The best layout on one number of GPUs.
struct SizePoint {
  std::int64_t gpus = 0;
  Candidate candidate;
  RunEstimate run;
  /// More than the smaller one before it: dollars for each day saved; 0 = the first, or nothing is saved.
  double usd_per_day_saved = 0.0;
  /// Speed per GPU over that of the first.
  double scaling_efficiency = 1.0;
};

struct Sizing {
  /// Doubled from the smallest that fits, and what was tried between; by rising number of GPUs.
  std::vector<SizePoint> points;
  /// Places in `points` of those that meet the goal.
  std::optional<std::size_t> smallest;
  std::optional<std::size_t> cheapest;
  /// The last size whose doubling still pays: a saved day costs less than a day of the smaller cluster.
  std::optional<std::size_t> worthwhile;
  /// Where nothing meets the goal: the fastest (or, where the budget is what fails, the cheapest that is in time).
  std::optional<std::size_t> nearest;
  bool interrupted = false;
};

/// The part of the whole space in which the best plan practically always lies: powers of two of micro batches up to
/// 16, sequence parallelism with tensor parallelism, optimizer state sharded; context parallelism from 16,384 tokens
/// on.
[[nodiscard]] Space narrowed_space(const model::Scenario& base);

[[nodiscard]] bool meets(const SizePoint& point, const Goal& goal);

/// Tries whole nodes: 1, 2, 4 … until more GPUs do not help, then eighths between the last that is too slow and the
/// first that is fast enough.
[[nodiscard]] Sizing size_cluster(const model::Scenario& base, const Goal& goal, const SizingOptions& options);

}  // namespace shardsim::plan
