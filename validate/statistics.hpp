// How far predictions are from measurements, over a set of rows.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "validate/evaluate.hpp"
#include "validate/fitted_constants.hpp"

namespace shardsim::validate {

/// Fractions (0.05 = 5 %) of e = (predicted − measured) / measured. Zero rows: n = 0 and all else 0.
struct ErrorStatistics {
  std::size_t n = 0;
  double median = 0.0;
  double mape = 0.0;
  double p90 = 0.0;
  double max = 0.0;
  /// Median of the signed error.
  double bias = 0.0;
  /// Share of measured values inside their 80 % interval.
  double interval_coverage = 0.0;
};

/// Rows by predicted and real outcome; "fit" = predicted to fit.
struct Confusion {
  std::size_t true_fit = 0;
  std::size_t false_fit = 0;
  std::size_t true_oom = 0;
  std::size_t false_oom = 0;
  /// Mean of the shares of fitting and of failed rows that were called right; 0 where one kind is missing.
  [[nodiscard]] double balanced_accuracy() const;
};

/// Errors where no constant was fitted to the source (validate/transfer.hpp).
struct Transfer {
  ErrorStatistics time;
  ErrorStatistics memory;
  /// Devices and stacks that no other source has: "nanotron <- megatron-core-te" took the constants of the right one.
  std::vector<std::string> from_kin;
};

/// How far measurements of one configuration are apart: what the best prediction would be off.
struct Repeats {
  /// Rows that share their configuration with another one.
  std::size_t n = 0;
  /// Mean |measured − median of the configuration| / measured.
  double spread = 0.0;
};

/// One run of a weak-scaling series, against the one-GPU run of the series.
struct ScalingPoint {
  std::string id;
  /// FLOP/s per GPU over that of the one-GPU run.
  double measured = 0.0;
  double predicted = 0.0;
  /// Predicted time of the one-GPU run over this run's; its work per GPU is not quite the same.
  double predicted_by_time = 0.0;
};

/// Rows whose place in their source says "weak-scaling"; the first of them is the one-GPU run.
[[nodiscard]] std::vector<ScalingPoint> weak_scaling(const std::vector<Result>& results);

struct Summary {
  std::size_t scored = 0;
  Repeats repeats;
  Transfer transfer;
  ErrorStatistics time;
  /// Time errors of the other rows after one factor per source, the median measured over predicted of three of its
  /// rows (first, middle and last): what a user gets who hands over three log lines.
  ErrorStatistics after_one_scale;
  ErrorStatistics memory;
  Confusion fit;
};

struct Evaluation {
  std::size_t rows = 0;
  std::map<std::string, std::size_t> skipped;
  Summary all;
  std::map<std::string, Summary> by_source;
  Summary suspect;
  std::map<std::string, Summary> suspect_by_source;
  FittedConstants fitted_constants;
};

/// Linear interpolation between order statistics; 0 for no values.
[[nodiscard]] double quantile(std::vector<double> values, double q);

[[nodiscard]] Repeats repeats_of(const std::vector<const Result*>& group);

/// Linear interpolation between order statistics; 0 for no values.
[[nodiscard]] double quantile(std::vector<double> values, double q);

[[nodiscard]] ErrorStatistics error_statistics(const std::vector<Pair>& pairs);

/// Of scored rows.
[[nodiscard]] Summary summarise(const std::vector<const Result*>& group);
[[nodiscard]] std::map<std::string, Summary> summarise_by_source(const std::vector<const Result*>& group);

/// Every number is the median over the sources that have it; n counts them.
[[nodiscard]] Summary median_source(const std::map<std::string, Summary>& sources);

[[nodiscard]] Evaluation summarise(const std::vector<Result>& results);

}  // namespace shardsim::validate
