// A sweep: one or two keys over their values, a prediction at each point.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "sim/plan/search.hpp"
#include "sim/report/chart.hpp"

namespace shardsim::report {

enum class Metric { iteration_s, tokens_per_s, tflops, mfu, memory, cost };

struct MetricText {
  Metric metric;
  /// As it is asked for, and as axes name it.
  std::string_view name;
  std::string_view title;
};
[[nodiscard]] const std::vector<MetricText>& metrics();

struct SweepAxis {
  std::string name;
  std::vector<std::string> values;
};

struct SweepPoint {
  /// One for each axis.
  std::vector<std::string> values;
  /// Nothing where the point is invalid; then `reason` says why.
  std::optional<plan::Candidate> candidate;
  std::string reason;
  /// USD per GPU and hour; 0 = not listed.
  double usd_per_gpu_hour = 0.0;

  [[nodiscard]] bool fits() const { return candidate && candidate->prediction.memory.fits(); }
};

struct Sweep {
  std::string name;
  std::vector<SweepAxis> axes;
  /// In the order of the axes, the last fastest; fewer after an interruption.
  std::vector<SweepPoint> points;
  Metric metric = Metric::iteration_s;
  /// The layout was searched at every point.
  bool replanned = false;
  bool interrupted = false;
};

/// Of a point that was computed: seconds, tokens/s, TFLOP/s per GPU, share, GiB, or USD per billion tokens; nothing
/// where there is no price.
[[nodiscard]] std::optional<double> metric_of(const SweepPoint& point, Metric metric);

/// For people: a row a point, or for two keys a matrix of the metric; below it a chart.
void write_table(std::ostream& out, const Sweep& sweep);

/// {name, axes[{key, values[]}], metric, replanned, interrupted, points[{values{key}, status, reason, …}]}; status is
/// ok, does_not_fit or invalid; where it is not invalid: iteration_s, iteration_s_p10, iteration_s_p90, tokens_per_s,
/// mfu, model_tflops_per_gpu, memory_bytes, margin_bytes, usd_per_billion_tokens (null without a price), gpus,
/// layout{}.
void write_json(std::ostream& out, const Sweep& sweep);

/// A line a point with the same values.
void write_csv(std::ostream& out, const Sweep& sweep);

/// The metric over the first key, a line for each value of the second.
[[nodiscard]] Chart chart_of(const Sweep& sweep);

/// "TP 8 x PP 4 x DP 2, micro batch 1, recompute selective, ZeRO 1".
[[nodiscard]] std::string layout_text(const model::Scenario& scenario);

}  // namespace shardsim::report
