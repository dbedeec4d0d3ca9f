#include "validate/log/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "sim/engine/closed_form.hpp"
#include "validate/log/knobs.hpp"

namespace shardsim::validate::log {
namespace {

using Vector = std::array<double, kFitted>;
using Matrix = std::array<Vector, kFitted>;
using Chosen = std::array<bool, kFitted>;
using Runs = std::vector<const FitRun*>;

/// Runs are never known better than this: clocks and neighbours move them from day to day.
constexpr double kLeastScatter = 0.02;

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

model::Scenario with_factors(model::Scenario scenario, const Vector& log_factors) {
  for (std::size_t i = 0; i < kFitted; ++i) {
    if (log_factors[i] != 0.0) time_knobs()[i].slow_down(scenario, std::exp(log_factors[i]));
  }
  return scenario;
}

double log_time(const FitRun& run, const Vector& log_factors) {
  return std::log(engine::predict(with_factors(run.scenario, log_factors)).iteration.value());
}

double residual(const FitRun& run, const Vector& log_factors) {
  return std::log(run.iteration->value()) - log_time(run, log_factors);
}

/// Gauss-Jordan with pivots; the matrix is positive definite (the prior sees to that).
Matrix inverse(Matrix a) {
  Matrix result{};
  for (std::size_t i = 0; i < kFitted; ++i) result[i][i] = 1.0;
  for (std::size_t column = 0; column < kFitted; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < kFitted; ++row) {
      if (std::abs(a[row][column]) > std::abs(a[pivot][column])) pivot = row;
    }
    std::swap(a[pivot], a[column]);
    std::swap(result[pivot], result[column]);
    const double scale = 1.0 / a[column][column];
    for (std::size_t k = 0; k < kFitted; ++k) {
      a[column][k] *= scale;
      result[column][k] *= scale;
    }
    for (std::size_t row = 0; row < kFitted; ++row) {
      if (row == column) continue;
      const double factor = a[row][column];
      for (std::size_t k = 0; k < kFitted; ++k) {
        a[row][k] -= factor * a[column][k];
        result[row][k] -= factor * result[column][k];
      }
    }
  }
  return result;
}

struct Estimate {
  Vector log_factors{};
  Vector errors{};
};

/// How far a log factor may go: beyond, the profile is of another machine.
constexpr double kFarthest = 2.0;

Estimate estimate(const Runs& runs, const Chosen& chosen) {
  constexpr int kRounds = 12;
  constexpr double kStep = 0.02;
  constexpr double kHuber = 1.5;
  Estimate result;
  double scatter = 0.1;
  for (int round = 0; round < kRounds; ++round) {
    Matrix information{};
    Vector gradient{};
    std::vector<double> residuals;
    for (std::size_t i = 0; i < kFitted; ++i) {
      const double prior = chosen[i] ? time_knobs()[i].prior : 1e-6;
      information[i][i] = 1.0 / (prior * prior);
      gradient[i] = -result.log_factors[i] / (prior * prior);
    }
    for (const FitRun* run : runs) {
      const double r = residual(*run, result.log_factors);
      residuals.push_back(std::abs(r));
      const double weight = std::min(1.0, kHuber * scatter / std::max(std::abs(r), 1e-12)) / (scatter * scatter);
      Vector slope{};
      for (std::size_t i = 0; i < kFitted; ++i) {
        if (!chosen[i]) continue;
        Vector more = result.log_factors;
        Vector less = result.log_factors;
        more[i] += kStep;
        less[i] -= kStep;
        slope[i] = (log_time(*run, more) - log_time(*run, less)) / (2.0 * kStep);
      }
      for (std::size_t i = 0; i < kFitted; ++i) {
        gradient[i] += weight * slope[i] * r;
        for (std::size_t k = 0; k < kFitted; ++k) information[i][k] += weight * slope[i] * slope[k];
      }
    }
    const Matrix covariance = inverse(information);
    for (std::size_t i = 0; i < kFitted; ++i) {
      double step = 0.0;
      for (std::size_t k = 0; k < kFitted; ++k) step += covariance[i][k] * gradient[k];
      if (chosen[i]) result.log_factors[i] = std::clamp(result.log_factors[i] + step, -kFarthest, kFarthest);
      result.errors[i] = std::sqrt(covariance[i][i]);
    }
    // 1.4826 · median deviation is the standard deviation of a normal distribution; constants use up runs.
    const double free = std::max(1.0, static_cast<double>(runs.size()) - static_cast<double>(kFitted));
    scatter = 1.4826 * median(residuals) * std::sqrt(static_cast<double>(runs.size()) / free);
    scatter = std::max(kLeastScatter, scatter);
  }
  return result;
}

/// Drops what the runs do not determine, the worst first.
std::pair<Estimate, Chosen> determined_estimate(const Runs& runs) {
  constexpr double kNarrower = 0.5;
  Chosen chosen;
  chosen.fill(true);
  while (true) {
    const Estimate result = estimate(runs, chosen);
    std::size_t worst = kFitted;
    double most = kNarrower;
    for (std::size_t i = 0; i < kFitted; ++i) {
      const double share = result.errors[i] / time_knobs()[i].prior;
      if (!chosen[i] || share <= most) continue;
      most = share;
      worst = i;
    }
    if (worst == kFitted) return {result, chosen};
    chosen[worst] = false;
  }
}

double median_error(const Runs& runs, const Vector& log_factors) {
  std::vector<double> errors;
  for (const FitRun* run : runs) errors.push_back(std::abs(std::expm1(-residual(*run, log_factors))));
  return median(errors);
}

void fit_time(const Runs& runs, Fit& result) {
  result.timed = runs.size();
  Estimate found;
  Chosen chosen{};
  if (!runs.empty()) std::tie(found, chosen) = determined_estimate(runs);
  for (std::size_t i = 0; i < kFitted; ++i) {
    result.time.push_back({time_knobs()[i].name, std::exp(found.log_factors[i]), found.errors[i], chosen[i]});
  }
  result.time_errors.before = median_error(runs, {});
  result.time_errors.after = median_error(runs, found.log_factors);
  std::vector<double> left_out;
  for (const FitRun* run : runs) {
    Runs others;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(others), [&](const FitRun* one) { return one != run; });
    if (others.empty()) continue;
    left_out.push_back(median_error({run}, determined_estimate(others).first.log_factors));
  }
  result.time_errors.left_out = median(left_out);
}

/// Median of the deviations, and its standard error from their scatter (√(π/2) that of a mean).
Refined middle_of(std::string_view name, const std::vector<double>& values) {
  constexpr std::size_t kFewestRuns = 2;
  Refined result{name, median(values), 0.0, values.size() >= kFewestRuns};
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - result.value));
  result.error =
      1.4826 * median(deviations) * 1.2533 / std::sqrt(static_cast<double>(std::max<std::size_t>(1, values.size())));
  return result;
}

double memory_error(const FitRun& run, const Fit& fit) {
  const memory::Memory memory = engine::predict(refined(run.scenario, fit)).memory;
  if (run.allocated) return std::abs(memory.worst().peak_allocated / *run.allocated - 1.0);
  return std::abs(memory.worst().peak_reserved / *run.reserved - 1.0);
}

double median_memory_error(const Runs& runs, const Fit& fit) {
  std::vector<double> errors;
  for (const FitRun* run : runs) errors.push_back(memory_error(*run, fit));
  return median(errors);
}

/// What is allocated beyond the prediction, and what is reserved beyond the allocated.
void fit_constants(const Runs& runs, Fit& result) {
  std::vector<double> extra;
  std::vector<double> shares;
  for (const FitRun* run : runs) {
    const memory::StageMemory& worst = engine::predict(run->scenario).memory.worst();
    if (run->allocated) extra.push_back((*run->allocated - worst.peak_allocated).as_double());
    if (run->reserved) shares.push_back(*run->reserved / run->allocated.value_or(worst.peak_allocated) - 1.0);
  }
  result.workspace = middle_of("memory overhead", extra);
  // Less than the start profile's workspaces cannot be taken away.
  if (!runs.empty() && result.workspace.determined) {
    const double least = -runs.front()->scenario.stack.allocator.workspace.as_double();
    result.workspace.value = std::max(result.workspace.value, least);
  }
  result.fragmentation = middle_of("fragmentation", shares);
  result.fragmentation.value = std::clamp(result.fragmentation.value, 0.0, 1.0);
}

void fit_memory(const Runs& runs, Fit& result) {
  result.weighed = runs.size();
  if (runs.empty()) return;
  result.memory_errors.before = median_memory_error(runs, Fit{});
  fit_constants(runs, result);
  result.memory_errors.after = median_memory_error(runs, result);
  std::vector<double> left_out;
  for (const FitRun* run : runs) {
    Runs others;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(others), [&](const FitRun* one) { return one != run; });
    Fit without;
    fit_constants(others, without);
    left_out.push_back(memory_error(*run, without));
  }
  result.memory_errors.left_out = median(left_out);
}

}  // namespace

Fit fit(const std::vector<FitRun>& runs) {
  Runs timed;
  Runs weighed;
  for (const FitRun& run : runs) {
    if (run.iteration) timed.push_back(&run);
    if (run.allocated || run.reserved) weighed.push_back(&run);
  }
  Fit result;
  fit_time(timed, result);
  fit_memory(weighed, result);
  return result;
}

model::Scenario refined(const model::Scenario& scenario, const Fit& fit) {
  model::Scenario changed = scenario;
  for (std::size_t i = 0; i < fit.time.size(); ++i) {
    if (fit.time[i].determined) time_knobs()[i].slow_down(changed, fit.time[i].value);
  }
  model::AllocatorBehaviour& allocator = changed.stack.allocator;
  if (fit.workspace.determined) allocator.workspace += Bytes{static_cast<std::int64_t>(fit.workspace.value)};
  if (fit.fragmentation.determined) allocator.fragmentation = fit.fragmentation.value;
  return changed;
}

}  // namespace shardsim::validate::log
