#include "sim/plan/search.hpp"

#include <gtest/gtest.h>

#include "sim/engine/closed_form.hpp"
#include "tests/support/scenarios.hpp"

namespace shardsim::tests {
namespace {

/// 8 devices of 312 TFLOP/s fp16 and 40 GiB in one node; 0.4 B parameters.
model::Scenario small_job() {
  model::Scenario scenario = gpt(24, 1024, 16, 1024, 1);
  hardware::Cluster& cluster = scenario.cluster;
  cluster.gpus_per_node = 8;
  cluster.nics_per_node = 8;
  cluster.intra_node = {BytesPerSecond{300e9}, 0.75, Seconds{6.6e-6}, Seconds{0.6e-6}};
  cluster.inter_node = {BytesPerSecond{25e9}, 0.9, Seconds{6.6e-6}, Seconds{2.7e-6}};
  hardware::Device& device = cluster.device;
  device.memory_capacity = 40_GiB;
  device.memory_bandwidth = BytesPerSecond{2e12};
  device.multiprocessors = 108;
  device.gemm[static_cast<std::size_t>(model::DType::fp16)].peak = FlopsPerSecond{312e12};
  device.gemm[static_cast<std::size_t>(model::DType::fp16)].efficiency = 0.7;
  device.attention = {0.5, 0.5, 0.0};
  device.memory_bound = {0.8, 0.8, 0.8, 0.8};
  scenario.gpus = 8;
  scenario.training.global_batch_size = 64;
  return scenario;
}

TEST(Search, CandidatesAreWhatThePredictionSays) {
  const model::Scenario base = small_job();
  const plan::SearchResult result = plan::search(base, plan::whole_space(base), {});
  ASSERT_EQ(result.candidates.size(), 10U);
  Seconds before{0.0};
  for (const plan::Candidate& candidate : result.candidates) {
    EXPECT_EQ(engine::predict(candidate.scenario).iteration, candidate.prediction.iteration);
    EXPECT_EQ(plan::degrees_of(candidate.scenario), candidate.degrees);
    EXPECT_GE(candidate.prediction.iteration, before);
    EXPECT_TRUE(candidate.prediction.memory.fits());
    before = candidate.prediction.iteration;
  }
}

TEST(Search, EveryCombinationIsCounted) {
  const model::Scenario base = small_job();
  plan::Space space = plan::whole_space(base);
  space.tensor_model_parallel_size = space.pipeline_model_parallel_size = {1, 2, 4, 8};
  space.context_parallel_size = {1};
  space.virtual_pipeline_model_parallel_size = {1};
  space.schedule = {model::Schedule::one_f_one_b};
  space.micro_batch_size = {1};
  space.recompute_granularity = {model::RecomputeGranularity::none};
  space.sequence_parallel = {false};
  space.zero_stage = {0};
  const plan::SearchResult result = plan::search(base, space, {});
  EXPECT_EQ(result.considered, 16);
  // tp · pp > 8 in six of the sixteen: (2, 8), (4, 4), (4, 8), (8, 2), (8, 4), (8, 8).
  std::int64_t impossible = 0;
  for (const auto& [reason, count] : result.impossible) impossible += count;
  EXPECT_EQ(impossible, 6);
  EXPECT_EQ(impossible + result.out_of_memory + static_cast<std::int64_t>(result.candidates.size()), 16);
}

}  // namespace
}  // namespace shardsim::tests
