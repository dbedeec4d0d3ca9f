#include "sim/plan/changes_that_fit.hpp"

#include <gtest/gtest.h>

#include "sim/engine/closed_form.hpp"
#include "tests/plan/candidates.hpp"

namespace shardsim::tests {
namespace {

using plan::Change;
using plan::changes_that_fit;

/// 1.3 B parameters: 20 B each are 26 GB; 8 sequences of activations without recomputation do not fit beside them.
model::Scenario too_many_activations() {
  model::Scenario scenario = gpt(24, 2048, 16, 2048, 8);
  on_a_cluster(scenario, 40_GiB);
  return scenario;
}

/// 8.3 B parameters: 166 GB of state, whatever the activations.
model::Scenario too_much_state() {
  model::Scenario scenario = gpt(72, 3072, 32, 1024, 8);
  on_a_cluster(scenario, 80_GiB);
  scenario.training.recompute.granularity = model::RecomputeGranularity::full;
  return scenario;
}

const Change* starting_with(const std::vector<Change>& changes, const std::string& text) {
  for (const Change& change : changes) {
    if (change.description.rfind(text, 0) == 0) return &change;
  }
  return nullptr;
}

void expect_fitting_cheapest_first(const model::Scenario& scenario, const std::vector<Change>& changes) {
  ASSERT_FALSE(engine::predict(scenario).memory.fits());
  ASSERT_FALSE(changes.empty());
  EXPECT_LE(changes.size(), plan::kMostChanges);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const engine::Prediction again = engine::predict(changes[i].scenario);
    EXPECT_TRUE(again.memory.fits()) << changes[i].description;
    EXPECT_EQ(again.iteration, changes[i].prediction.iteration);
    EXPECT_FALSE(changes[i].flags.empty());
    EXPECT_EQ(changes[i].scenario.training.global_batch_size, scenario.training.global_batch_size);
    const double cheaper = i > 0 ? changes[i - 1].time_cost : changes[i].time_cost;
    EXPECT_GE(changes[i].time_cost, cheaper);
  }
}

TEST(ChangesThatFit, EveryChangeFitsAndTheCheapestComesFirst) {
  for (const auto& scenario : {too_many_activations(), too_much_state()}) {
    expect_fitting_cheapest_first(scenario, changes_that_fit(scenario));
  }
}

TEST(ChangesThatFit, AsksOnlyForWhatTheStackCanDo) {
  model::Scenario scenario = too_much_state();
  ASSERT_NE(starting_with(changes_that_fit(scenario), "pipeline parallel"), nullptr);
  scenario.stack.abilities.pipeline_parallel = false;
  const auto changes = changes_that_fit(scenario);
  EXPECT_EQ(starting_with(changes, "pipeline parallel"), nullptr);
  EXPECT_FALSE(changes.empty());
  // Of a run that is beyond the stack as it is, nothing is known.
  scenario.parallelism.pipeline_model_parallel_size = 2;
  scenario.gpus = 2;
  EXPECT_FALSE(changes_that_fit(scenario).empty());
}

TEST(ChangesThatFit, TakesTheSmallestStepOfItsKind) {
  const model::Scenario scenario = too_many_activations();
  const auto changes = changes_that_fit(scenario);
  const Change* micro_batch = starting_with(changes, "micro batch");
  ASSERT_NE(micro_batch, nullptr);
  const std::int64_t size = micro_batch->scenario.training.micro_batch_size;
  EXPECT_EQ(micro_batch->flags, (std::vector<std::string>{"--micro-batch-size " + std::to_string(size)}));
  // Twice that size is no answer.
  model::Scenario twice = scenario;
  twice.training.micro_batch_size = 2 * size;
  EXPECT_FALSE(engine::predict(twice).memory.fits());
}

TEST(ChangesThatFit, ModelParallelismTakesMoreGpusWhereThereIsNoDataParallelismToTakeFrom) {
  const auto changes = changes_that_fit(too_much_state());
  const Change* tensor = starting_with(changes, "tensor parallel");
  ASSERT_NE(tensor, nullptr);
  const model::Parallelism& parallelism = tensor->scenario.parallelism;
  // 166 GB of state over 80 GiB: two ranks are too few (83 GB and the rest), four are enough.
  EXPECT_EQ(parallelism.tensor_model_parallel_size, 4);
  EXPECT_EQ(tensor->scenario.gpus, 4);
  EXPECT_EQ(tensor->description, "tensor parallel 4 instead of 1, on 4 GPUs");
  // Neither smaller micro batches nor recomputation can help.
  EXPECT_EQ(starting_with(changes, "micro batch"), nullptr);
}

TEST(ChangesThatFit, ModelParallelismComesOutOfTheDataParallelSize) {
  model::Scenario scenario = too_much_state();
  divide(scenario, 1, 1, 8, 1);
  const auto changes = changes_that_fit(scenario);
  expect_fitting_cheapest_first(scenario, changes);
  for (const Change& change : changes) EXPECT_EQ(change.scenario.gpus, 8) << change.description;
  // 4 B of parameters and gradients and 12 + 4 B over 8 ranks: sharding the optimizer state is enough.
  const Change* sharded = starting_with(changes, "ZeRO stage 1 instead of 0");
  ASSERT_NE(sharded, nullptr);
  EXPECT_EQ(sharded->flags, (std::vector<std::string>{"--use-distributed-optimizer"}));
}

TEST(ChangesThatFit, OffersOnlyWhatDivides) {
  model::Scenario scenario = too_much_state();
  // 25 heads divide by no even number, 71 layers by no even number of stages.
  scenario.model.num_attention_heads = scenario.model.num_query_groups = 25;
  scenario.model.num_layers = 71;
  const auto changes = changes_that_fit(scenario);
  EXPECT_EQ(starting_with(changes, "tensor parallel"), nullptr);
  EXPECT_EQ(starting_with(changes, "pipeline parallel"), nullptr);
}

}  // namespace
}  // namespace shardsim::tests
