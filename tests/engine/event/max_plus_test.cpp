#include "sim/engine/event/max_plus.hpp"

#include <gtest/gtest.h>

#include <random>

#include "sim/cost/operator_time.hpp"
#include "sim/engine/event/pass_cost.hpp"
#include "tests/engine/example_scenarios.hpp"

namespace shardsim::engine::event {
namespace {

// Host 2, device 5: the device starts when the operator is issued and it is free.
TEST(MaxPlus, OneOperator) {
  const Passage passage = operator_passage(2, 5, 1);
  EXPECT_EQ(passage({10, 0}), (Ready{12, 17}));   // waits for the host
  EXPECT_EQ(passage({10, 30}), (Ready{12, 35}));  // the host is ahead
}

// Three kernels of 2 each, issued at 4, 8, 12: the last one ends at 14. Issued early they take 6.
TEST(MaxPlus, ManyLaunches) {
  EXPECT_EQ(operator_passage(12, 6, 3)({0, 0}), (Ready{12, 14}));
  EXPECT_EQ(operator_passage(12, 6, 3)({0, 100}), (Ready{12, 106}));
  // Kernels of 4, issued at 1, 2, 3: the first starts at 1.
  EXPECT_EQ(operator_passage(3, 12, 3)({0, 0}), (Ready{3, 13}));
}

// The composed map gives to the picosecond what operator by operator gives, from any start.
TEST(MaxPlus, ComposingIsExact) {
  std::mt19937_64 random{7};
  const auto pick = [&random](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<Passage> operators;
    Passage all;
    for (std::int64_t i = 0, count = 1 + pick(30); i < count; ++i) {
      operators.push_back(operator_passage(pick(50'000'000), pick(100'000'000), 1 + pick(4)));
      all = then(all, operators.back());
    }
    const Ready start{pick(1'000'000'000), pick(1'000'000'000)};
    Ready played = start;
    for (const Passage& passage : operators) played = passage(played);
    EXPECT_EQ(all(start), played);
    // And so does the power of it.
    const std::int64_t times = pick(100);
    played = start;
    for (std::int64_t i = 0; i < times; ++i) played = all(played);
    EXPECT_EQ(repeated(all, times)(start), played);
  }
}

// A layer of each random scenario: the envelope of lines against its operators one by one.
TEST(PassCost, GivesWhatItsOperatorsGive) {
  RandomScenarios scenarios{3};
  for (int i = 0; i < 200; ++i) {
    const model::Scenario scenario = scenarios.next();
    const cost::Pricer pricer{scenario};
    const std::vector<model::Operator> operators = model::list_operators(scenario).layer.backward;
    const PassCost pass{price_operators(scenario, pricer, operators), operators};
    const auto played = [&](Slowness slowness, Ready ready) {
      for (const TimedOperator& timed : pass.timed()) ready = timed.at(slowness)(ready);
      return ready;
    };
    for (const Picoseconds lead : {0, 5'000'000, 2'000'000'000}) {
      EXPECT_EQ(pass.at(kNominal)({0, lead}), played(kNominal, {0, lead}));
      // Each operator's time is rounded down apart.
      const auto slow = slowness_of(1.15);
      EXPECT_NEAR(static_cast<double>(pass.at(slow)({0, lead}).device),
                  static_cast<double>(played(slow, {0, lead}).device), static_cast<double>(operators.size()) + 1);
    }
  }
}

}  // namespace
}  // namespace shardsim::engine::event
