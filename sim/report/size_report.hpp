// Which cluster a job needs, and what a run on it comes to.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/plan/largest.hpp"
#include "sim/plan/sizing.hpp"

namespace shardsim::report {

struct SizedCluster {
  std::string cluster;
  std::string device;
  plan::Sizing sizing;
  plan::Economics economics;
  std::string price_origin;
  /// Why nothing was sized: the cluster cannot run the job at all.
  std::string unsuitable;
};

struct SizeReport {
  std::string name;
  plan::Goal goal;
  std::vector<SizedCluster> clusters;
  plan::Reliability reliability;
  std::vector<std::string> assumed;
  bool interrupted = false;
};

/// The cluster with the fewest GPUs that meets the goal, and the one with the lowest price; nullptr where none does.
[[nodiscard]] const SizedCluster* smallest(const SizeReport& report);
[[nodiscard]] const SizedCluster* cheapest(const SizeReport& report);

/// For people: a line a cluster, then how the cheapest (or the nearest) scales and what its run comes to.
void write_table(std::ostream& out, const SizeReport& report);

/// {name, tokens, deadline_s, budget_usd, smallest, cheapest (names of clusters or null), interrupted, assumed[],
/// clusters[{cluster, device, status: meets|misses|does_not_fit|unsuitable, reason, usd_per_gpu_hour{}, price_origin,
/// smallest, cheapest, worthwhile, nearest (gpus or null), points[…]}]}; a point: gpus, layout{}, iteration_s,
/// iteration_s_p10, iteration_s_p90, mfu, memory_bytes, margin_bytes, productive_s, goodput, scaling_efficiency,
/// usd_per_day_saved, checkpoint_bytes, checkpoint_s, checkpoint_interval_s, between_failures_s, expected_failures, and
/// {expected, p10, p90} of wall_clock_s, energy_kwh, usd (null without a price).
void write_json(std::ostream& out, const SizeReport& report);

/// A line a point.
void write_csv(std::ostream& out, const SizeReport& report);

/// What is largest, and on which cluster.
struct LargestReport {
  std::string name;
  std::string cluster;
  std::int64_t gpus = 0;
  std::string dimension;
  plan::Largest largest;
};

void write_table(std::ostream& out, const LargestReport& report);
/// {name, cluster, gpus, dimension, value, step, too_large, excess_bytes, parameters, iteration_s, memory_bytes,
/// margin_bytes, layout{}}.
void write_json(std::ostream& out, const LargestReport& report);

}  // namespace shardsim::report
