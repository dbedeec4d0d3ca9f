// Recomputation and the order of micro batches change nothing of what is computed: bit for bit.
#include <gtest/gtest.h>

#include "kernels/communicator/single_communicator.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "sim/base/check.hpp"
#include "tests/kernels/model/tiny_model.hpp"

namespace shardsim::test {
namespace {

using model::RecomputeGranularity;
using model::RecomputeMethod;

struct Result {
  std::vector<std::vector<float>> gradients;
  ModelChunk::Losses losses;
};

Result result_of(TinyModel& tiny, const ModelChunk::Losses& losses) {
  Result result;
  result.losses = losses;
  for (const Parameter& parameter : tiny.parameters()) result.gradients.push_back(tiny.gradient(parameter));
  return result;
}

TinyModel make(const model::Scenario& scenario) {
  return {scenario, kernels::make_cpu_backend(), kernels::make_single_communicator()};
}

Result trained(const model::Scenario& scenario) {
  TinyModel tiny = make(scenario);
  const ModelChunk::Losses losses = tiny.step(2);
  return result_of(tiny, losses);
}

void expect_equal(const Result& result, const Result& expected) {
  EXPECT_EQ(result.losses.language_model, expected.losses.language_model);
  EXPECT_EQ(result.losses.sentence_order, expected.losses.sentence_order);
  EXPECT_EQ(result.gradients, expected.gradients);
}

class Recomputation : public ::testing::TestWithParam<model::Recompute> {};

TEST_P(Recomputation, ChangesNoBit) {
  for (model::Scenario scenario : {tiny_gpt(), tiny_bert(model::NormPlacement::post)}) {
    scenario.model.num_layers = 3;
    const Result kept = trained(scenario);
    scenario.training.recompute = GetParam();
    expect_equal(trained(scenario), kept);
  }
}

// Groups of one, of two with a shorter last one, and more than there are layers; the first layer or two of the chunk.
INSTANTIATE_TEST_SUITE_P(Variants, Recomputation,
                         ::testing::Values(recompute(RecomputeGranularity::selective, RecomputeMethod::uniform, 1),
                                           recompute(RecomputeGranularity::full, RecomputeMethod::uniform, 1),
                                           recompute(RecomputeGranularity::full, RecomputeMethod::uniform, 2),
                                           recompute(RecomputeGranularity::full, RecomputeMethod::uniform, 5),
                                           recompute(RecomputeGranularity::full, RecomputeMethod::block, 1),
                                           recompute(RecomputeGranularity::full, RecomputeMethod::block, 2)));

// Gradients of micro batches 0 and 1 are added in that order whatever the order of the forward passes.
TEST(MicroBatches, MayOverlap) {
  const model::Scenario scenario = tiny_gpt();
  const Result one_by_one = trained(scenario);
  TinyModel tiny = make(scenario);
  (void)tiny.step(0);  // zero gradients
  const MicroBatch first = tiny.batch(0);
  const MicroBatch second = tiny.batch(1);
  (void)tiny.chunk().forward(first, {});
  (void)tiny.chunk().forward(second, {});
  (void)tiny.chunk().backward(first, {});
  (void)tiny.chunk().backward(second, {});
  expect_equal(result_of(tiny, tiny.chunk().take_losses()), one_by_one);
}

TEST(MicroBatches, MayFinishInAnyOrder) {
  const model::Scenario scenario = tiny_gpt();
  const Result one_by_one = trained(scenario);
  TinyModel tiny = make(scenario);
  (void)tiny.step(0);
  const MicroBatch first = tiny.batch(0);
  const MicroBatch second = tiny.batch(1);
  (void)tiny.chunk().forward(first, {});
  (void)tiny.chunk().forward(second, {});
  (void)tiny.chunk().backward(second, {});
  (void)tiny.chunk().backward(first, {});
  const Result result = result_of(tiny, tiny.chunk().take_losses());
  for (std::size_t i = 0; i < result.gradients.size(); ++i) {
    for (std::size_t j = 0; j < result.gradients[i].size(); ++j) {
      // a + b + c = a + c + b to the rounding of one addition of values up to 1.
      ASSERT_NEAR(result.gradients[i][j], one_by_one.gradients[i][j], 1e-6);
    }
  }
}

TEST(MicroBatches, BackwardNeedsItsForward) {
  TinyModel tiny = make(tiny_gpt());
  const MicroBatch batch = tiny.batch(0);
  EXPECT_THROW((void)tiny.chunk().backward(batch, {}), Bug);
}

}  // namespace
}  // namespace shardsim::test
