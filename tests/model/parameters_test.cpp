#include "sim/model/parameters.hpp"

#include <gtest/gtest.h>

#include "tests/support/scenarios.hpp"

namespace shardsim::model {
namespace {

// Narayanan et al. (2021), eq. 2: P = 12·l·h²·(1 + 13/(12h) + (V + s)/(12·l·h)); Megatron also has the final norm's 2h.
TEST(Parameters, EquationTwoOfPtdP) {
  for (const auto& [l, h, a] : {std::tuple{24, 2304, 24}, {48, 8192, 64}, {128, 25600, 160}}) {
    const Scenario scenario = tests::gpt(l, h, a, 2048, 1);
    const std::int64_t expected = 12LL * l * h * h + 13LL * l * h + (51'200LL + 2048) * h;
    EXPECT_EQ(total_parameters(scenario), expected + 2LL * h);
  }
}

// Every stage's shards, summed over the tensor-parallel group, hold each parameter once, except: norms, row-parallel
// biases and positions (held by every tensor-parallel rank) and the tied embedding (held by first and last stage).
TEST(Parameters, ShardsSumToTheModel) {
  Scenario scenario = tests::gpt(8, 512, 8, 1024, 1);
  tests::divide(scenario, 4, 2, 1, 2);
  const std::vector<Stage> stages = layout(scenario.model, scenario.parallelism, scenario.stack);
  std::int64_t sum = 0;
  for (const Stage& stage : stages) sum += 4 * rank_parameters(scenario, stage);
  // Replicated per layer: two norms (4h) and two row-parallel biases (2h); plus final norm 2h and positions s·h.
  const std::int64_t replicated = 8 * 6 * 512 + 2 * 512 + 1024 * 512;
  const std::int64_t tied_copy = padded_vocab_size(scenario.model, scenario.parallelism) * 512;
  EXPECT_EQ(sum, total_parameters(scenario) + 3 * replicated + tied_copy);
}

TEST(Parameters, VocabularyIsPaddedPerTensorParallelRank) {
  Scenario scenario = tests::gpt(2, 512, 8, 1024, 1);
  scenario.model.vocab_size = 50'257;
  EXPECT_EQ(padded_vocab_size(scenario.model, scenario.parallelism), 50'304);  // 393 · 128
  scenario.parallelism.tensor_model_parallel_size = 8;
  EXPECT_EQ(padded_vocab_size(scenario.model, scenario.parallelism), 51'200);  // 50 · 128 · 8
}

// Narayanan et al. (2021), eq. 3 with recomputation: F = 96·B·s·l·h²·(1 + s/(6h) + V/(16·l·h)); without it the forward
// pass counts three times: 72·B·s·l·h²·(1 + s/(6h) + V/(12·l·h)).
TEST(Flops, EquationThreeOfPtdP) {
  Scenario scenario = tests::gpt(80, 12'288, 96, 2048, 2);
  scenario.training.recompute.granularity = RecomputeGranularity::full;
  const double b = 2, s = 2048, l = 80, h = 12'288, v = 51'200;
  const IterationFlops flops = iteration_flops(scenario);
  EXPECT_NEAR(flops.hardware.value() / (96 * b * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h))), 1.0, 1e-12);
  EXPECT_NEAR(flops.model.value() / (72 * b * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h))), 1.0, 1e-12);
}

// Selective recomputation repeats the attention core: 4·B·s²·h per layer (Korthikanti et al. 2022, appendix A).
TEST(Flops, SelectiveRecomputationRepeatsTheAttentionCore) {
  Scenario scenario = tests::gpt(10, 1024, 16, 512, 4);
  const double none = iteration_flops(scenario).hardware.value();
  scenario.training.recompute.granularity = RecomputeGranularity::selective;
  const double selective = iteration_flops(scenario).hardware.value();
  EXPECT_DOUBLE_EQ(selective - none, 10.0 * 4.0 * 4.0 * 512.0 * 512.0 * 1024.0);
}

}  // namespace
}  // namespace shardsim::model
