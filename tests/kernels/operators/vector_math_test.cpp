#include "kernels/cpu/vector_math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardsim::kernels {
namespace {

/// Largest relative error of f against g over x = from, from + step, …
template <class F, class G>
double largest_error(F&& f, G&& g, double from, double to, double step) {
  double largest = 0.0;
  for (double at = from; at < to; at += step) {
    const auto x = static_cast<float>(at);
    const double exact = g(static_cast<double>(x));
    largest = std::max(largest, std::abs((static_cast<double>(f(x)) - exact) / exact));
  }
  return largest;
}

constexpr double kUnit = 1.2e-7;  // 2⁻²³: one unit in the last place

TEST(VectorMath, ExpIsAccurate) {
  const auto exact = [](double x) { return std::exp(x); };
  EXPECT_LT(largest_error(vector_exp, exact, -87.3, 88.0, 1e-4), 1.5 * kUnit);
  EXPECT_LT(largest_error(vector_exp, exact, -1.0, 1.0, 1e-6), 1.5 * kUnit);
  EXPECT_EQ(vector_exp(0.0F), 1.0F);
}

TEST(VectorMath, ExpStaysFinite) {
  EXPECT_LT(vector_exp(1e30F), std::numeric_limits<float>::infinity());
  EXPECT_GT(vector_exp(1e30F), 1e38F);
  EXPECT_LT(vector_exp(-std::numeric_limits<float>::infinity()), 1.3e-38F);
  EXPECT_TRUE(std::isnan(vector_exp(std::numeric_limits<float>::quiet_NaN())));
}

TEST(VectorMath, TanhIsAccurate) {
  const auto exact = [](double x) { return std::tanh(x); };
  EXPECT_LT(largest_error(vector_tanh, exact, -12.0, 12.0, 1.03e-5), 4.0 * kUnit);
  EXPECT_LT(largest_error(vector_tanh, exact, 1e-9, 0.3, 1e-7), 4.0 * kUnit);
  EXPECT_EQ(vector_tanh(0.0F), 0.0F);
  EXPECT_EQ(vector_tanh(-100.0F), -1.0F);
}

TEST(VectorMath, LogisticIsAccurate) {
  const auto exact = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  EXPECT_LT(largest_error(vector_logistic, exact, -80.0, 80.0, 1.07e-4), 3.0 * kUnit);
}

}  // namespace
}  // namespace shardsim::kernels
