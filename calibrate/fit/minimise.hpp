// Least squares without a library: Levenberg (1944) and Marquardt (1963), with a bounded influence of outliers.
#pragma once

#include <functional>
#include <vector>

namespace shardsim::calibrate {

/// Fills `residuals` (always as many) for the parameters.
using Residuals = std::function<void(const std::vector<double>& parameters, std::vector<double>& residuals)>;

struct Minimum {
  std::vector<double> parameters;
  double cost = 0.0;
  int iterations = 0;
};

/// Local minimum of Σ s²·ln(1 + (r/s)²) (Cauchy's loss; s = `scale`: residuals far above it hardly count) from `start`.
/// Steps solve (JᵀWJ + λ·diag)·δ = −JᵀWr with J by forward differences; λ falls after a success and rises after a
/// failure. Ends when a step changes the cost by less than 1e-12 of itself.
[[nodiscard]] Minimum minimise(const Residuals& residuals, std::vector<double> start, double scale);

}  // namespace shardsim::calibrate
