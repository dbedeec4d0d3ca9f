#include "calibrate/fit/minimise.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardsim::calibrate {
namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

constexpr int kMaxIterations = 200;
constexpr double kSettled = 1e-12;
constexpr double kDifference = 1e-6;

double cauchy_loss(const Vector& residuals, double scale) {
  double sum = 0.0;
  for (const double r : residuals) sum += scale * scale * std::log1p(r / scale * r / scale);
  return sum;
}

/// Gauss elimination with partial pivoting; a singular matrix gives a zero step along its null space.
Vector solve(Matrix a, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row) {
      if (std::abs(a[row][column]) > std::abs(a[pivot][column])) pivot = row;
    }
    std::swap(a[column], a[pivot]);
    std::swap(b[column], b[pivot]);
    if (a[column][column] == 0.0) continue;
    for (std::size_t row = column + 1; row < n; ++row) {
      const double factor = a[row][column] / a[column][column];
      for (std::size_t i = column; i < n; ++i) a[row][i] -= factor * a[column][i];
      b[row] -= factor * b[column];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= a[i][j] * b[j];
    b[i] = a[i][i] == 0.0 ? 0.0 : b[i] / a[i][i];
  }
  return b;
}

/// JᵀWJ and −JᵀWr, with Cauchy's weights W = 1/(1 + (r/s)²).
struct NormalEquations {
  Matrix matrix;
  Vector right;
};

NormalEquations normal_equations(const Residuals& residuals, const Vector& at, const Vector& base, double scale) {
  const std::size_t n = at.size();
  Matrix columns(n, Vector(base.size()));
  for (std::size_t i = 0; i < n; ++i) {
    Vector moved = at;
    const double step = kDifference * std::max(1.0, std::abs(at[i]));
    moved[i] += step;
    residuals(moved, columns[i]);
    for (std::size_t k = 0; k < base.size(); ++k) columns[i][k] = (columns[i][k] - base[k]) / step;
  }
  NormalEquations equations{Matrix(n, Vector(n)), Vector(n)};
  for (std::size_t k = 0; k < base.size(); ++k) {
    const double weight = 1.0 / (1.0 + base[k] / scale * base[k] / scale);
    for (std::size_t i = 0; i < n; ++i) {
      equations.right[i] -= weight * columns[i][k] * base[k];
      for (std::size_t j = 0; j < n; ++j) equations.matrix[i][j] += weight * columns[i][k] * columns[j][k];
    }
  }
  return equations;
}

}  // namespace

Minimum minimise(const Residuals& residuals, Vector start, double scale) {
  Vector values;
  residuals(start, values);
  Minimum best{std::move(start), cauchy_loss(values, scale), 0};
  double damping = 1e-3;
  Vector tried_values(values.size());
  while (best.iterations < kMaxIterations) {
    ++best.iterations;
    const NormalEquations equations = normal_equations(residuals, best.parameters, values, scale);
    bool settled = false;
    bool improved = false;
    for (int attempt = 0; attempt < 30 && !improved && !settled; ++attempt) {
      Matrix damped = equations.matrix;
      for (std::size_t i = 0; i < damped.size(); ++i) damped[i][i] *= 1.0 + damping;
      const Vector step = solve(std::move(damped), equations.right);
      Vector tried = best.parameters;
      for (std::size_t i = 0; i < tried.size(); ++i) tried[i] += step[i];
      residuals(tried, tried_values);
      const double cost = cauchy_loss(tried_values, scale);
      improved = cost < best.cost;
      damping *= improved ? 0.3 : 4.0;
      if (!improved) continue;
      settled = best.cost - cost < kSettled * best.cost;
      best.parameters = std::move(tried);
      best.cost = cost;
      values.swap(tried_values);
    }
    if (!improved || settled) break;
  }
  return best;
}

}  // namespace shardsim::calibrate
