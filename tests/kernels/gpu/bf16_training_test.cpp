// The trainer in the GPU's number formats: bf16 weights and activations over fp32 masters, gradients, statistics and
// logits, played by the reference backend.
#include <gtest/gtest.h>

#include "kernels/gpu/benchmark/job.hpp"
#include "kernels/reference/reference_backend.hpp"

namespace shardsim::kernels::gpu {
namespace {

constexpr int kIterations = 6;

std::vector<double> losses(DType precision) {
  const GptShape shape{"tiny", 2, 32, 4, 16, 96, 2};
  const Job job = make_gpt_job(shape, precision);
  const auto backend = make_reference_backend();
  const Groups groups = single_rank_groups();
  const RandomTokens data{shape};
  TrainOptions options;
  options.learning_rate.maximum = 1e-2;
  options.learning_rate.decay = LearningRateDecay::constant;
  Trainer trainer{job, options, {&groups, backend.get(), &data, {}}};
  std::vector<double> losses;
  for (int i = 0; i < kIterations; ++i) losses.push_back(trainer.iterate().lm_loss);
  return losses;
}

// bf16 keeps 8 bits: a loss of log(96) = 4.56 at the start is right to about 2⁻⁸ of itself.
TEST(Bf16Training, FollowsFp32) {
  const std::vector<double> single = losses(DType::fp32);
  const std::vector<double> half = losses(DType::bf16);
  EXPECT_NEAR(single.front(), 4.56, 0.1);
  for (int i = 0; i < kIterations; ++i) EXPECT_NEAR(half[i], single[i], 0.02 * single[i]) << "iteration " << i + 1;
}

}  // namespace
}  // namespace shardsim::kernels::gpu
