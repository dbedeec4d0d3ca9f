// Sends and collectives on the same links.
#include <gtest/gtest.h>

#include "sim/engine/event/predict.hpp"
#include "tests/engine/example_scenarios.hpp"

namespace shardsim::engine::event {
namespace {

/// 2 stages of 8-way tensor parallelism on 4 nodes; gradients are reduced beside the last backward, whose sends use the
/// same cards.
model::Scenario overlapping() {
  model::Scenario scenario = example_scenario();
  divide(scenario, 8, 2, 2, 8);
  scenario.parallelism.overlap.grad_reduce = true;
  return scenario;
}

double iteration(const model::Scenario& scenario, Links links) {
  Options options;
  options.links = links;
  return predict(scenario, options).iteration.value();
}

TEST(Contention, SendsAndReductionsSlowEachOther) {
  EXPECT_GT(iteration(overlapping(), Links::shared), iteration(overlapping(), Links::undisturbed));
}

// Nothing meets anything: to the picosecond what everything takes alone.
TEST(Contention, WithoutOverlapNothingIsDisturbed) {
  model::Scenario scenario = overlapping();
  scenario.parallelism.overlap.grad_reduce = false;
  EXPECT_EQ(iteration(scenario, Links::shared), iteration(scenario, Links::undisturbed));
}

// Leaf switches of one node, whose uplinks carry a quarter: what crosses nodes takes up to four times as long.
TEST(Contention, OversubscribedUplinksSlowTheReduction) {
  model::Scenario scenario = overlapping();
  scenario.parallelism.overlap.grad_reduce = false;
  const Prediction full = predict(scenario);
  scenario.cluster.nodes_per_leaf = 1;
  scenario.cluster.fabric_oversubscription = 4.0;
  const Prediction quarter = predict(scenario);
  const auto data = [](const Prediction& prediction) {
    return prediction.time[static_cast<std::size_t>(Term::data_parallel_exposed)].time.value();
  };
  EXPECT_GT(data(quarter), 2.0 * data(full));
  EXPECT_LT(data(quarter), 4.1 * data(full));
}

}  // namespace
}  // namespace shardsim::engine::event
