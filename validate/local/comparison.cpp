#include "validate/local/comparison.hpp"

#include <algorithm>
#include <cmath>

namespace shardsim::validate::local {
namespace {

template <class Value>
double median_over(const std::vector<Run>& runs, Value&& value) {
  std::vector<double> values;
  for (const Run& run : runs) values.push_back(value(run));
  return quantile(values, 0.5);
}

template <class Value>
double least_over(const std::vector<Run>& runs, Value&& value) {
  double least = value(runs.front());
  for (const Run& run : runs) least = std::min(least, value(run));
  return least;
}

Pair with_measured(Pair pair, double measured) {
  pair.measured = measured;
  return pair;
}

/// Ranks from 1, equal values sharing their mean.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double value : values) {
    const auto below = std::count_if(values.begin(), values.end(), [value](double other) { return other < value; });
    const auto equal = std::count(values.begin(), values.end(), value);
    result.push_back(static_cast<double>(below) + 0.5 * static_cast<double>(equal + 1));
  }
  return result;
}

/// Pearson's correlation; 0 where one of the two does not vary.
double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  double xx = 0.0;
  double yy = 0.0;
  double xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xx > 0.0 && yy > 0.0 ? xy / std::sqrt(xx * yy) : 0.0;
}

Drift drift_of(const std::vector<const Row*>& rows) {
  std::vector<double> ratios;
  for (const Row* row : rows) {
    for (const Run& run : row->runs) ratios.push_back(run.probe / row->predicted.probe);
  }
  if (ratios.empty()) return {};
  const double median = quantile(ratios, 0.5);
  return {median - 1.0, (quantile(ratios, 0.9) - quantile(ratios, 0.1)) / median};
}

ClassSummary summarise_class(const std::vector<const Row*>& rows, std::size_t one) {
  double steps = 0.0;
  double measured = 0.0;
  double predicted = 0.0;
  std::vector<double> errors;
  for (const Row* row : rows) {
    const double step = row->step().measured;
    const double of_class = row->measured_operators().by_class[one];
    const double said = row->predicted.operators.by_class[one];
    steps += step;
    measured += of_class;
    predicted += said;
    errors.push_back(std::abs(said - of_class) / step);
  }
  if (rows.empty()) return {};
  return {measured / steps, measured != 0.0 ? predicted / measured : 0.0, quantile(errors, 0.5)};
}

}  // namespace

Pair Row::step() const {
  std::vector<double> steps;
  for (const Run& run : runs) steps.insert(steps.end(), run.steps.begin(), run.steps.end());
  return with_measured(predicted.step, quantile(steps, kUndisturbed));
}

Pair Row::step_without_drift() const {
  std::vector<double> steps;
  for (const Run& run : runs) {
    for (const double step : run.steps) steps.push_back(step * predicted.probe / run.probe);
  }
  return with_measured(predicted.step, quantile(steps, kUndisturbed));
}

Pair Row::median_step() const {
  std::vector<double> steps;
  for (const Run& run : runs) {
    steps.insert(steps.end(), run.steps.begin(), run.steps.end());
  }
  return with_measured(predicted.step, quantile(steps, 0.5));
}

Pair Row::allocated() const {
  return with_measured(predicted.allocated, median_over(runs, [](const Run& run) { return run.allocated; }));
}

Pair Row::resident() const {
  return with_measured(predicted.resident, median_over(runs, [](const Run& run) { return run.resident; }));
}

Pair Row::exposed_communication() const {
  const double measured = measured_operators().by_class[index_of(Class::communication)];
  return {measured, predicted.exposed_communication, 0.0, 0.0};
}

OperatorTimes Row::measured_operators() const {
  OperatorTimes result;
  for (std::size_t i = 0; i < kClasses; ++i) {
    result.by_class[i] = least_over(runs, [i](const Run& run) { return run.operators.by_class[i]; });
  }
  for (const auto& [name, time] : runs.front().operators.by_operator) {
    const auto seconds = [&](const Run& run) {
      const auto found = run.operators.by_operator.find(name);
      return found == run.operators.by_operator.end() ? 0.0 : found->second.seconds;
    };
    result.by_operator[name] = {time.count, least_over(runs, seconds)};
  }
  return result;
}

double Row::spread() const {
  std::vector<double> medians;
  for (const Run& run : runs) medians.push_back(quantile(run.steps, kUndisturbed));
  const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
  return *most / *least - 1.0;
}

LocalSummary summarise(const std::vector<Row>& rows) {
  std::vector<const Row*> scored;
  for (const Row& row : rows) {
    if (row.scored()) scored.push_back(&row);
  }
  const auto pairs = [&](Pair (Row::*of)() const) {
    std::vector<Pair> result;
    for (const Row* row : scored) result.push_back((row->*of)());
    return result;
  };
  LocalSummary summary;
  summary.rows = rows.size();
  summary.scored = scored.size();
  summary.time = error_statistics(pairs(&Row::step));
  summary.time_without_drift = error_statistics(pairs(&Row::step_without_drift));
  summary.time_of_medians = error_statistics(pairs(&Row::median_step));
  summary.drift = drift_of(scored);
  summary.allocated = error_statistics(pairs(&Row::allocated));
  summary.resident = error_statistics(pairs(&Row::resident));
  summary.rank_correlation = rank_correlation(pairs(&Row::step));
  std::vector<double> spreads;
  for (const Row* row : scored) spreads.push_back(row->spread());
  summary.repeat_spread = quantile(spreads, 0.5);
  for (std::size_t i = 0; i < kClasses; ++i) summary.classes[i] = summarise_class(scored, i);
  return summary;
}

double rank_correlation(const std::vector<Pair>& pairs) {
  std::vector<double> measured;
  std::vector<double> predicted;
  for (const Pair& pair : pairs) {
    measured.push_back(pair.measured);
    predicted.push_back(pair.predicted);
  }
  return pairs.size() < 2 ? 0.0 : correlation(ranks(measured), ranks(predicted));
}

}  // namespace shardsim::validate::local
