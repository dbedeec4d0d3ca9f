// A model divided over the tensor-parallel group against the same model on one rank.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/communicator/single_communicator.hpp"
#include "tests/kernels/model/tensor_parallel_layouts.hpp"

namespace shardsim::test {
namespace {

constexpr std::int64_t kMicroBatches = 2;

TinyModel whole_model(const model::Scenario& scenario) {
  return {scenario, backend_for(scenario), kernels::make_single_communicator()};
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

void expect_same_as_one_rank(const model::Scenario& one, const model::Scenario& divided) {
  TinyModel whole = whole_model(one);
  const ModelChunk::Losses expected = whole.step(kMicroBatches);
  TinyModel part{divided, backend_for(divided), tensor_group(divided)};
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

class TensorParallel : public ::testing::TestWithParam<Variant> {};

TEST_P(TensorParallel, TrainsAsOneRank) {
  for (const model::Scenario& divided : tensor_parallel_layouts(GetParam().scenario)) {
    SCOPED_TRACE(layout_name(divided));
    expect_same_as_one_rank(GetParam().scenario, divided);
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, TensorParallel, ::testing::ValuesIn(variants()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace shardsim::test
