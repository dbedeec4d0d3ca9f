// A model divided over the tensor-parallel group against the same model on one rank.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/communicator/single_communicator.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "tests/kernels/model/tiny_model.hpp"
#include "tests/support/mpi_test.hpp"

namespace shardsim::test {
namespace {

constexpr std::int64_t kMicroBatches = 2;

TinyModel whole_model(const model::Scenario& scenario) {
  return {scenario, kernels::make_cpu_backend(), kernels::make_single_communicator()};
}

void expect_close(const std::vector<float>& divided, const std::vector<float>& whole, const std::string& name) {
  ASSERT_EQ(divided.size(), whole.size()) << name;
  float largest = 0.0F;
  for (const float w : whole) largest = std::max(largest, std::abs(w));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    // Sums of fp32 in another order: relative to the largest element, since small ones are differences of large.
    ASSERT_NEAR(divided[i], whole[i], 1e-5F * largest) << name << " element " << i;
  }
}

void expect_same_as_one_rank(const model::Scenario& one, std::int64_t tp, bool sequence_parallel) {
  TinyModel whole = whole_model(one);
  const ModelChunk::Losses expected = whole.step(kMicroBatches);

  model::Scenario divided = one;
  divided.parallelism.tensor_model_parallel_size = tp;
  divided.parallelism.sequence_parallel = sequence_parallel;
  const int rank = session().rank();
  TinyModel part{divided, kernels::make_cpu_backend(), session().world()->split(rank / static_cast<int>(tp), rank)};
  const ModelChunk::Losses losses = part.step(kMicroBatches);
  EXPECT_NEAR(losses.language_model, expected.language_model, 1e-5 * expected.language_model);
  EXPECT_NEAR(losses.sentence_order, expected.sentence_order, 1e-5 * expected.sentence_order);
  ASSERT_EQ(part.parameters().size(), whole.parameters().size());
  for (std::size_t i = 0; i < whole.parameters().size(); ++i) {
    const Parameter& parameter = part.parameters()[i];
    ASSERT_EQ(parameter.name, whole.parameters()[i].name);
    expect_close(part.gradient(parameter), shard(whole.gradient(whole.parameters()[i]), parameter), parameter.name);
  }
}

class TensorParallel : public ::testing::TestWithParam<bool> {
 protected:
  static std::vector<std::int64_t> sizes() {
    std::vector<std::int64_t> result;
    for (std::int64_t tp = 1; tp <= session().size(); tp *= 2) result.push_back(tp);
    return result;
  }
  static void expect_same(const model::Scenario& scenario) {
    for (const std::int64_t tp : sizes()) {
      SCOPED_TRACE("tp " + std::to_string(tp));
      expect_same_as_one_rank(scenario, tp, GetParam());
    }
  }
};

TEST_P(TensorParallel, Gpt) { expect_same(tiny_gpt()); }
TEST_P(TensorParallel, PreNormBert) { expect_same(tiny_bert(model::NormPlacement::pre)); }
TEST_P(TensorParallel, PostNormBert) { expect_same(tiny_bert(model::NormPlacement::post)); }
TEST_P(TensorParallel, SelectiveRecomputation) {
  model::Scenario scenario = tiny_gpt();
  scenario.training.recompute.granularity = model::RecomputeGranularity::selective;
  expect_same(scenario);
}
TEST_P(TensorParallel, FullRecomputation) {
  model::Scenario scenario = tiny_bert(model::NormPlacement::post);
  scenario.training.recompute.granularity = model::RecomputeGranularity::full;
  expect_same(scenario);
}

INSTANTIATE_TEST_SUITE_P(SequenceParallel, TensorParallel, ::testing::Bool());

}  // namespace
}  // namespace shardsim::test
