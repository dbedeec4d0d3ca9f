// Predictions beside the runs that they were made for, and how far apart they are.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "validate/local/measured.hpp"
#include "validate/local/predicted.hpp"
#include "validate/statistics.hpp"

namespace shardsim::validate::local {

struct Row {
  Job job;
  Predicted predicted;
  /// Repeats, spread over the whole time of the comparison.
  std::vector<Run> runs;
  /// Of a run that failed.
  std::string failure;

  /// Undisturbed: the kUndisturbed quantile of the iterations of all repeats, beside the prediction of a profile that
  /// knows the machine undisturbed too. Needs at least one run.
  [[nodiscard]] Pair step() const;
  /// The same with every run's iterations at the machine's speed that the profile knows: times predicted over measured
  /// time of the probe beside the run.
  [[nodiscard]] Pair step_without_drift() const;
  /// The median of the same iterations.
  [[nodiscard]] Pair median_step() const;
  [[nodiscard]] Pair allocated() const;
  [[nodiscard]] Pair resident() const;
  [[nodiscard]] Pair exposed_communication() const;
  /// Of the fastest repeat, operator by operator.
  [[nodiscard]] OperatorTimes measured_operators() const;
  /// Slowest over fastest repeat, minus one.
  [[nodiscard]] double spread() const;
  [[nodiscard]] bool scored() const { return failure.empty() && !runs.empty(); }
};

/// The machine's own speed while the runs went on, as the probe shows it.
struct Drift {
  /// Median over runs of measured over predicted time, minus one: positive where the machine is slower than when it was
  /// calibrated.
  double since_calibration = 0.0;
  /// From the 10 % to the 90 % quantile over runs, over the median.
  double spread = 0.0;
};

struct ClassSummary {
  /// Of the measured steps.
  double share = 0.0;
  /// Sum of predictions over sum of measurements.
  double ratio = 0.0;
  /// Median of |predicted − measured| over the measured step.
  double median_of_step = 0.0;
};

struct LocalSummary {
  std::size_t rows = 0;
  std::size_t scored = 0;
  ErrorStatistics time;
  ErrorStatistics time_without_drift;
  ErrorStatistics time_of_medians;
  ErrorStatistics allocated;
  ErrorStatistics resident;
  /// Spearman's, of predicted and measured step times.
  double rank_correlation = 0.0;
  /// Median over rows.
  double repeat_spread = 0.0;
  Drift drift;
  std::array<ClassSummary, kClasses> classes;
};

/// Rows without a run or with a failure count as not scored.
[[nodiscard]] LocalSummary summarise(const std::vector<Row>& rows);

/// Spearman's rank correlation; ties have their mean rank. 0 for fewer than two pairs.
[[nodiscard]] double rank_correlation(const std::vector<Pair>& pairs);

}  // namespace shardsim::validate::local
