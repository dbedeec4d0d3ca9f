#include "calibrate/fit/minimise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/fit/quality.hpp"

namespace shardsim::calibrate {
namespace {

/// y = 3·exp(−0.5·x) at x = 0 … 19.
double truth(double x) { return 3.0 * std::exp(-0.5 * x); }

Residuals decay(double outlier) {
  return [outlier](const std::vector<double>& p, std::vector<double>& r) {
    r.clear();
    for (int i = 0; i < 20; ++i) r.push_back(p[0] * std::exp(-p[1] * i) - truth(i) - (i == 7 ? outlier : 0.0));
  };
}

TEST(Minimise, FindsTheTruth) {
  const Minimum minimum = minimise(decay(0.0), {1.0, 0.1}, 0.1);
  EXPECT_NEAR(minimum.parameters[0], 3.0, 1e-6);
  EXPECT_NEAR(minimum.parameters[1], 0.5, 1e-6);
  EXPECT_LT(minimum.cost, 1e-10);
}

// Plain least squares would move the curve by some tenths; Cauchy's loss hardly does.
TEST(Minimise, OneOutlierHardlyCounts) {
  const Minimum minimum = minimise(decay(10.0), {2.0, 0.4}, 0.01);
  EXPECT_NEAR(minimum.parameters[0], 3.0, 1e-2);
  EXPECT_NEAR(minimum.parameters[1], 0.5, 1e-2);
}

TEST(Minimise, AParameterWithoutEffectStays) {
  const Residuals residuals = [](const std::vector<double>& p, std::vector<double>& r) { r = {p[0] - 2.0}; };
  const Minimum minimum = minimise(residuals, {0.0, 5.0}, 1.0);
  EXPECT_NEAR(minimum.parameters[0], 2.0, 1e-6);
  EXPECT_DOUBLE_EQ(minimum.parameters[1], 5.0);
}

// Rosenbrock's valley, minimum at (1, 1).
TEST(Minimise, FollowsACurvedValley) {
  const Residuals residuals = [](const std::vector<double>& p, std::vector<double>& r) {
    r = {10.0 * (p[1] - p[0] * p[0]), 1.0 - p[0]};
  };
  const Minimum minimum = minimise(residuals, {-1.2, 1.0}, 1e3);
  EXPECT_NEAR(minimum.parameters[0], 1.0, 1e-5);
  EXPECT_NEAR(minimum.parameters[1], 1.0, 1e-5);
}

TEST(Quality, NearestRanksAndRounding) {
  EXPECT_EQ(quantile({5.0, 1.0, 3.0, 2.0, 4.0}, 0.5), 3.0);
  EXPECT_EQ(quantile({5.0, 1.0, 3.0, 2.0, 4.0}, 1.0), 5.0);
  EXPECT_EQ(quantile({}, 0.5), 0.0);
  EXPECT_EQ(rounded(0.123456), 0.123);
  EXPECT_EQ(rounded(98765.0), 98800.0);
  EXPECT_EQ(to_string(judge(7800, {0.01, -0.03, 0.02})), "2.0 % median, 3.0 % p90 on 3 of 7,800 samples held out");
}

TEST(Quality, EveryThirdIsHeldOut) {
  const auto parts = split(std::vector<int>{0, 1, 2, 3, 4});
  EXPECT_EQ(parts.held_out, (std::vector<int>{0, 3}));
  EXPECT_EQ(parts.fitted, (std::vector<int>{1, 2, 4}));
}

}  // namespace
}  // namespace shardsim::calibrate
