#include "sim/plan/confidence.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/plan/candidates.hpp"

namespace shardsim::tests {
namespace {

using plan::probability_best;
using plan::UncertainTime;

double normal(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST(ProbabilityBest, OfTwoPlansIsTheNormalDistributionOfTheirLead) {
  // ln t differs by 0.05; its deviation: (0.04 − 0.01) device, (0.06 − 0.02) network, own 0.05 each of half the
  // variance: sqrt(0.03² + 0.04² + 2 · 0.5 · 0.05²) = sqrt(0.005).
  const std::vector<UncertainTime> plans{{Seconds{1.0}, {0.01, 0.02, 0.05}},
                                         {Seconds{std::exp(0.05)}, {0.04, 0.06, 0.05}}};
  EXPECT_NEAR(probability_best(plans), normal(0.05 / std::sqrt(0.005)), 1e-6);
}

TEST(ProbabilityBest, EqualPlansShareIt) {
  const UncertainTime plan{Seconds{2.0}, {0.03, 0.02, 0.04}};
  EXPECT_NEAR(probability_best({plan, plan}), 1.0 / 2.0, 1e-9);
  EXPECT_NEAR(probability_best({plan, plan, plan, plan}), 1.0 / 4.0, 1e-6);
  EXPECT_EQ(probability_best({plan}), 1.0);
}

TEST(ProbabilityBest, AnErrorThatAllHaveInCommonChangesNothing) {
  // Device and network errors are large, but the same for both: only the plans' own parts decide.
  const std::vector<UncertainTime> exact{{Seconds{1.0}, {0.0, 0.0, 0.02}}, {Seconds{1.02}, {0.0, 0.0, 0.02}}};
  const std::vector<UncertainTime> unsure{{Seconds{1.0}, {0.3, 0.2, 0.02}}, {Seconds{1.02}, {0.3, 0.2, 0.02}}};
  EXPECT_NEAR(probability_best(exact), probability_best(unsure), 1e-12);
  EXPECT_NEAR(probability_best(exact), normal(std::log(1.02) / 0.02), 1e-6);
}

TEST(ProbabilityBest, WithoutErrorTheFastestIsCertain) {
  EXPECT_NEAR(probability_best({{Seconds{1.0}, {}}, {Seconds{1.001}, {}}}), 1.0, 1e-9);
}

TEST(ProbabilityBest, CandidatesBringTheErrorsOfTheirIntervals) {
  // Half of the first and none of the second is exposed tensor-parallel communication: cluster error 0.2 on the half,
  // device error 0.1 on the rest. The lead's deviations: device 0.1 - 0.05, network 0.1, and
  // both plans' own halves of the stack's variance, together 0.04².
  plan::Candidate first = made_up({0.5, 0, 0, 0, 0, 0.5});
  plan::Candidate second = made_up({1.1});
  for (plan::Candidate* candidate : {&first, &second}) {
    candidate->scenario.cluster.device.error = 0.1;
    candidate->scenario.cluster.error = 0.2;
    candidate->scenario.stack.error.time = 0.04;
  }
  const double deviation = std::sqrt(0.05 * 0.05 + 0.1 * 0.1 + 0.04 * 0.04);
  EXPECT_NEAR(probability_best(std::vector{first, second}), normal(std::log(1.1) / deviation), 1e-6);
}

}  // namespace
}  // namespace shardsim::tests
