#include "sim/plan/pareto.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/plan/candidates.hpp"

namespace shardsim::tests {
namespace {

using plan::Candidate;
using plan::Objective;

std::vector<double> values(const Candidate& candidate, const std::vector<Objective>& objectives) {
  std::vector<double> all;
  for (const Objective objective : objectives) all.push_back(plan::value_of(candidate, objective));
  return all;
}

TEST(Pareto, KeepsWhatNothingBeatsInEverything) {
  const std::vector<Candidate> plans{taking(3.0, 10_GiB, 8), taking(2.0, 20_GiB, 8), taking(2.5, 25_GiB, 8),
                                     taking(4.0, 5_GiB, 8)};
  const auto front = plan::pareto(plans, {Objective::time, Objective::memory});
  // The third is slower and larger than the second.
  ASSERT_EQ(front.size(), 3U);
  EXPECT_EQ(front[0].prediction.iteration, Seconds{2.0});
  EXPECT_EQ(front[1].prediction.iteration, Seconds{3.0});
  EXPECT_EQ(front[2].prediction.iteration, Seconds{4.0});
}

TEST(Pareto, GpuTimeIsWhatItCosts) {
  // 16 GPUs halve the time of 8 at the same GPU time and then some: 8 · 4 = 32 against 16 · 2.5 = 40.
  EXPECT_EQ(plan::value_of(taking(4.0, 1_GiB, 8), Objective::cost), 32.0);
  const auto front = plan::pareto({taking(4.0, 1_GiB, 8), taking(2.5, 1_GiB, 16), taking(5.0, 1_GiB, 16)},
                                  {Objective::time, Objective::cost});
  EXPECT_EQ(front.size(), 2U);
}

TEST(Pareto, OfEqualPlansTheFirstStays) {
  EXPECT_EQ(plan::pareto({taking(1.0, 1_GiB, 1), taking(1.0, 1_GiB, 1)}, {Objective::time, Objective::gpus}).size(),
            1U);
}

TEST(Pareto, AgreesWithEveryPairCompared) {
  const std::vector<Objective> objectives{Objective::time, Objective::memory, Objective::cost, Objective::gpus};
  std::uint64_t state = 5;
  const auto below = [&state](std::uint64_t count) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % count;
  };
  for (int round = 0; round < 20; ++round) {
    std::vector<Candidate> plans;
    for (int i = 0; i < 60; ++i) {
      plans.push_back(taking(1.0 + static_cast<double>(below(12)), Bytes{static_cast<std::int64_t>(1 + below(8)) << 30},
                             static_cast<std::int64_t>(1 + below(4))));
    }
    std::size_t expected = 0;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      bool beaten = false;
      for (std::size_t j = 0; j < plans.size(); ++j) {
        const auto a = values(plans[j], objectives);
        const auto b = values(plans[i], objectives);
        beaten = beaten || plan::dominates(a, b) || (a == b && j < i);
      }
      expected += beaten ? 0U : 1U;
    }
    EXPECT_EQ(plan::pareto(plans, objectives).size(), expected);
  }
}

TEST(Pareto, KnowsItsObjectivesByName) {
  for (const auto objective : {Objective::time, Objective::memory, Objective::cost, Objective::gpus}) {
    EXPECT_EQ(plan::objective_of(plan::objective_name(objective)), objective);
  }
  EXPECT_FALSE(plan::objective_of("speed").has_value());
}

}  // namespace
}  // namespace shardsim::tests
