#include "validate/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardsim::validate {
namespace {

void count_outcome(Confusion& confusion, Outcome outcome, bool predicted_fit) {
  if (outcome == Outcome::fits) {
    ++(predicted_fit ? confusion.true_fit : confusion.false_oom);
  } else {
    ++(predicted_fit ? confusion.false_fit : confusion.true_oom);
  }
}

/// The pairs that the scale was not fitted on, scaled; empty for sources of three rows or fewer.
std::vector<Pair> scaled_by_three_rows(const std::vector<Pair>& pairs) {
  const std::size_t n = pairs.size();
  if (n <= 3) return {};
  const std::vector<std::size_t> chosen{0, n / 2, n - 1};
  std::vector<double> ratios;
  ratios.reserve(chosen.size());
  for (const std::size_t i : chosen) ratios.push_back(pairs[i].measured / pairs[i].predicted);
  const double scale = quantile(ratios, 0.5);
  std::vector<Pair> scaled;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::find(chosen.begin(), chosen.end(), i) != chosen.end()) continue;
    const Pair& pair = pairs[i];
    scaled.push_back({pair.measured, scale * pair.predicted, scale * pair.p10, scale * pair.p90});
  }
  return scaled;
}

using Group = std::vector<const Result*>;

std::vector<Pair> pairs_of(const Group& group, std::optional<Pair> Result::*kind) {
  std::vector<Pair> pairs;
  for (const Result* result : group) {
    if (result->*kind) pairs.push_back(*(result->*kind));
  }
  return pairs;
}

std::map<std::string, Group> split_by_source(const Group& group) {
  std::map<std::string, Group> sources;
  for (const Result* result : group) sources[result->source].push_back(result);
  return sources;
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double Confusion::balanced_accuracy() const {
  const auto fits = static_cast<double>(true_fit + false_oom);
  const auto failed = static_cast<double>(true_oom + false_fit);
  if (fits == 0.0 || failed == 0.0) return 0.0;
  return 0.5 * (static_cast<double>(true_fit) / fits + static_cast<double>(true_oom) / failed);
}

ErrorStatistics error_statistics(const std::vector<Pair>& pairs) {
  ErrorStatistics statistics;
  statistics.n = pairs.size();
  if (pairs.empty()) return statistics;
  std::vector<double> errors;
  std::vector<double> sizes;
  std::size_t covered = 0;
  for (const Pair& pair : pairs) {
    errors.push_back(pair.error());
    sizes.push_back(std::abs(pair.error()));
    covered += pair.covered() ? 1 : 0;
  }
  statistics.median = quantile(sizes, 0.5);
  statistics.p90 = quantile(sizes, 0.9);
  statistics.max = *std::max_element(sizes.begin(), sizes.end());
  statistics.mape = std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(sizes.size());
  statistics.bias = quantile(errors, 0.5);
  statistics.interval_coverage = static_cast<double>(covered) / static_cast<double>(pairs.size());
  return statistics;
}

Repeats repeats_of(const std::vector<const Result*>& group) {
  std::map<std::string, std::vector<double>> measured;
  for (const Result* result : group) {
    if (result->time && !result->configuration.empty()) {
      measured[result->source + result->configuration].push_back(result->time->measured);
    }
  }
  Repeats repeats;
  for (const auto& [configuration, times] : measured) {
    if (times.size() < 2) continue;
    const double median = quantile(times, 0.5);
    for (const double time : times) repeats.spread += std::abs(time - median) / time;
    repeats.n += times.size();
  }
  if (repeats.n > 0) repeats.spread /= static_cast<double>(repeats.n);
  return repeats;
}

Summary summarise(const Group& group) {
  Summary summary;
  summary.scored = group.size();
  summary.repeats = repeats_of(group);
  summary.time = error_statistics(pairs_of(group, &Result::time));
  summary.memory = error_statistics(pairs_of(group, &Result::memory));
  std::vector<Pair> scaled;
  for (const auto& [source, rows] : split_by_source(group)) {
    const std::vector<Pair> of_source = scaled_by_three_rows(pairs_of(rows, &Result::time));
    scaled.insert(scaled.end(), of_source.begin(), of_source.end());
  }
  summary.after_one_scale = error_statistics(scaled);
  for (const Result* result : group) {
    if (result->outcome) count_outcome(summary.fit, *result->outcome, result->predicted_fit);
  }
  return summary;
}

std::map<std::string, Summary> summarise_by_source(const Group& group) {
  std::map<std::string, Summary> summaries;
  for (const auto& [source, rows] : split_by_source(group)) summaries[source] = summarise(rows);
  return summaries;
}

Summary median_source(const std::map<std::string, Summary>& sources) {
  const auto median = [&](const auto& statistics_of) {
    ErrorStatistics result;
    for (double ErrorStatistics::*field :
         {&ErrorStatistics::median, &ErrorStatistics::mape, &ErrorStatistics::p90, &ErrorStatistics::max,
          &ErrorStatistics::bias, &ErrorStatistics::interval_coverage}) {
      std::vector<double> values;
      for (const auto& [source, summary] : sources) {
        const ErrorStatistics& statistics = statistics_of(summary);
        if (statistics.n > 0) values.push_back(statistics.*field);
      }
      result.n = values.size();
      result.*field = quantile(values, 0.5);
    }
    return result;
  };
  Summary summary;
  summary.time = median([](const Summary& of) -> const ErrorStatistics& { return of.time; });
  summary.after_one_scale = median([](const Summary& of) -> const ErrorStatistics& { return of.after_one_scale; });
  summary.memory = median([](const Summary& of) -> const ErrorStatistics& { return of.memory; });
  summary.transfer.time = median([](const Summary& of) -> const ErrorStatistics& { return of.transfer.time; });
  summary.transfer.memory = median([](const Summary& of) -> const ErrorStatistics& { return of.transfer.memory; });
  return summary;
}

std::vector<ScalingPoint> weak_scaling(const std::vector<Result>& results) {
  std::vector<ScalingPoint> points;
  const Result* base = nullptr;
  for (const Result& result : results) {
    const bool in_series = result.where.find("weak-scaling") != std::string::npos;
    if (!in_series || !result.time || !result.hardware_tflops_per_gpu) continue;
    if (base == nullptr) base = &result;
    const double measured = *result.hardware_tflops_per_gpu / *base->hardware_tflops_per_gpu;
    const double slower = result.time->predicted / result.time->measured;
    const double base_slower = base->time->predicted / base->time->measured;
    points.push_back(
        {result.id, measured, measured * base_slower / slower, base->time->predicted / result.time->predicted});
  }
  return points;
}

Evaluation summarise(const std::vector<Result>& results) {
  Evaluation evaluation;
  evaluation.rows = results.size();
  Group sound;
  Group suspect;
  for (const Result& result : results) {
    if (!result.skipped.empty()) {
      ++evaluation.skipped[result.skipped];
    } else {
      (result.suspect.empty() ? sound : suspect).push_back(&result);
    }
  }
  evaluation.all = summarise(sound);
  evaluation.suspect = summarise(suspect);
  evaluation.by_source = summarise_by_source(sound);
  evaluation.suspect_by_source = summarise_by_source(suspect);
  return evaluation;
}

}  // namespace shardsim::validate
