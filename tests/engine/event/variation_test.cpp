#include "sim/engine/event/variation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/engine/event/predict.hpp"
#include "tests/engine/example_scenarios.hpp"

namespace shardsim::engine::event {
namespace {

TEST(Slowness, ScalesExactlyAtOneAndRoundsDown) {
  EXPECT_EQ(slowed(123'456'789'012'345, kNominal), 123'456'789'012'345);
  EXPECT_EQ(slowed(3, kNominal / 2), 1);
  EXPECT_EQ(slowed(4'000'000'000'000, slowness_of(1.25)), 5'000'000'000'000);
}

// Mean of the logarithm 0 and its deviation 0.1, over 100,000 draws; the median is 1.
TEST(LogNormal, HasTheAskedMoments) {
  const LogNormal distribution{0.1, 42};
  double sum = 0.0;
  double squares = 0.0;
  int above = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const Slowness draw = distribution.draw(static_cast<std::uint64_t>(i));
    const double logarithm = std::log(static_cast<double>(draw) / static_cast<double>(kNominal));
    sum += logarithm;
    squares += logarithm * logarithm;
    above += draw > kNominal ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.001);
  EXPECT_NEAR(std::sqrt(squares / kDraws), 0.1, 0.001);
  EXPECT_NEAR(above, kDraws / 2, 1000);
}

// Written down once: the same on every machine, in any order.
TEST(LogNormal, DrawsAreFixedByKeyAndSeed) {
  const LogNormal distribution{0.03, 7};
  EXPECT_EQ(distribution.draw(0), 1'033'492);
  EXPECT_EQ(distribution.draw(1), 1'023'115);
  EXPECT_NE((LogNormal{0.03, 8}.draw(0)), distribution.draw(0));
  EXPECT_EQ((LogNormal{0.0, 7}.draw(5)), kNominal);
}

model::Scenario pipelined() {
  model::Scenario scenario = example_scenario();
  divide(scenario, 2, 4, 2, 8);
  return scenario;
}

// One rank of the slowest stage takes 1.5 times as long: all compute of that stage does, for its whole group. The
// iteration grows by at least half of that stage's compute but for host, communication and step.
TEST(Straggler, HoldsUpTheWholeJob) {
  const Prediction even = predict(pipelined());
  Options options;
  options.variation.stragglers = {{12, 1.5}};  // the last stage, second replica
  const Prediction held = predict(pipelined(), options);
  double compute = 0.0;
  for (const Term term : {Term::matrix_multiply, Term::attention, Term::memory_bound}) {
    compute += even.time[static_cast<std::size_t>(term)].time.value();
  }
  EXPECT_NEAR(held.iteration.value(), even.iteration.value() + 0.5 * compute, 0.05 * compute);
  // The other replica waits at the end, in the gradient reduction.
  EXPECT_EQ(held.utilisation.size(), 5U);
}

TEST(Straggler, MoreSlownessIsNeverFaster) {
  Options options;
  double before = 0.0;
  for (const double slow : {0.5, 0.9, 1.0, 1.1, 1.2, 2.0, 10.0}) {
    options.variation.stragglers = {{3, slow}};
    const double now = predict(pipelined(), options).iteration.value();
    EXPECT_GE(now, before);
    before = now;
  }
}

TEST(Jitter, IsTheSameForASeed) {
  Options options;
  options.variation.jitter = 0.05;
  options.variation.seed = 3;
  const double once = predict(pipelined(), options).iteration.value();
  EXPECT_EQ(predict(pipelined(), options).iteration.value(), once);
  options.variation.seed = 4;
  EXPECT_NE(predict(pipelined(), options).iteration.value(), once);
  EXPECT_GT(once, predict(pipelined()).iteration.value());  // groups wait for their slowest
}

}  // namespace
}  // namespace shardsim::engine::event
