#include "kernels/trainer/learning_rate.hpp"

#include <algorithm>
#include <cmath>

namespace shardsim::kernels {
namespace {

constexpr double kPi = 3.14159265358979323846;

double as_double(std::int64_t n) { return static_cast<double>(n); }

}  // namespace

double LearningRate::at(std::int64_t iterations) const {
  if (warmup_iterations > 0 && iterations <= warmup_iterations) {
    return maximum * as_double(iterations) / as_double(warmup_iterations);
  }
  if (decay == LearningRateDecay::constant) return maximum;
  if (iterations > decay_iterations) return minimum;
  if (decay == LearningRateDecay::inverse_square_root) {
    const auto at_least_one = [](std::int64_t n) { return as_double(std::max<std::int64_t>(n, 1)); };
    return std::max(minimum, maximum * std::sqrt(at_least_one(warmup_iterations) / at_least_one(iterations)));
  }
  const double done = as_double(iterations - warmup_iterations) /
                      as_double(std::max<std::int64_t>(decay_iterations - warmup_iterations, 1));
  const double left = decay == LearningRateDecay::linear ? 1.0 - done : 0.5 * (1.0 + std::cos(kPi * done));
  return minimum + left * (maximum - minimum);
}

}  // namespace shardsim::kernels
