// The activation equations of Korthikanti et al. (2022), "Reducing Activation Recomputation in Large Transformer
// Models", reproduced exactly in their setting: fp16, unfused attention with one-byte dropout masks.
#include <gtest/gtest.h>

#include "sim/memory/activations.hpp"
#include "sim/memory/memory.hpp"
#include "tests/support/scenarios.hpp"

namespace shardsim::memory {
namespace {

using model::RecomputeGranularity;

struct Setting {
  std::int64_t s, b, h, a, t;
};

class Korthikanti : public ::testing::TestWithParam<Setting> {
 protected:
  [[nodiscard]] model::Scenario scenario(bool sequence_parallel, RecomputeGranularity granularity) const {
    const Setting& p = GetParam();
    model::Scenario scenario = tests::gpt(4, p.h, p.a, p.s, p.b);
    tests::divide(scenario, p.t, 1, 1, 1);
    scenario.parallelism.sequence_parallel = sequence_parallel;
    scenario.training.recompute.granularity = granularity;
    return scenario;
  }
  [[nodiscard]] std::int64_t layer_bytes(bool sequence_parallel, RecomputeGranularity granularity) const {
    return saved_by(list_operators(scenario(sequence_parallel, granularity)).layer).value();
  }
  [[nodiscard]] std::int64_t sbh() const { return GetParam().s * GetParam().b * GetParam().h; }
  [[nodiscard]] std::int64_t scores() const { return GetParam().a * GetParam().s * GetParam().s * GetParam().b; }
};

// Eq. 1 (t = 1: sbh·(34 + 5as/h)) and eq. 2: sbh·(10 + 24/t + 5as/(ht)).
TEST_P(Korthikanti, Equation2TensorParallel) {
  const std::int64_t t = GetParam().t;
  EXPECT_EQ(layer_bytes(false, RecomputeGranularity::none), 10 * sbh() + 24 * sbh() / t + 5 * scores() / t);
}

// Eq. 4: sbh/t·(34 + 5as/h).
TEST_P(Korthikanti, Equation4SequenceParallel) {
  const std::int64_t t = GetParam().t;
  EXPECT_EQ(layer_bytes(true, RecomputeGranularity::none), 34 * sbh() / t + 5 * scores() / t);
}

// Eq. 6: 34·sbh/t.
TEST_P(Korthikanti, Equation6SequenceParallelSelective) {
  EXPECT_EQ(layer_bytes(true, RecomputeGranularity::selective), 34 * sbh() / GetParam().t);
}

// Section 5: without sequence parallelism selective recomputation leaves sbh·(10 + 24/t).
TEST_P(Korthikanti, SelectiveAlone) {
  EXPECT_EQ(layer_bytes(false, RecomputeGranularity::selective), 10 * sbh() + 24 * sbh() / GetParam().t);
}

// Section 5: full recomputation stores 2·sbh a layer.
TEST_P(Korthikanti, FullRecomputation) {
  const auto list = list_operators(scenario(false, RecomputeGranularity::full));
  EXPECT_EQ(saved_by(list.recomputed_layer).value(), 2 * sbh());
}

// Section 4.3, sequence parallel: embedding dropout sbh/t; final norm and output layer inputs 2 + 2 = 4·sbh/t; the fp32
// logits 4·sbV/t (eq. 5's 4·sbh/t·(1 + V/h)).
TEST_P(Korthikanti, EmbeddingAndHead) {
  const Setting& p = GetParam();
  const auto list = list_operators(scenario(true, RecomputeGranularity::none));
  EXPECT_EQ(saved_by(list.embedding).value(), sbh() / p.t);
  EXPECT_EQ(saved_by(list.head).value(), 4 * sbh() / p.t);
  Bytes logits{0};
  for (const model::Operator& op : list.head.forward) {
    if (op.kind == model::OperatorKind::cross_entropy) logits += op.saved;
  }
  EXPECT_EQ(logits.value(), 4 * p.s * p.b * 51'200 / p.t);
}

INSTANTIATE_TEST_SUITE_P(Settings, Korthikanti,
                         ::testing::Values(Setting{1024, 4, 1024, 16, 1}, Setting{2048, 4, 6144, 64, 8},
                                           Setting{2048, 1, 12'288, 96, 8}, Setting{2048, 1, 20'480, 128, 8}));

// Section 4.2.3: the first of p stages holds p micro batches of L/p layers: all L layers' worth for one micro batch;
// interleaving multiplies by 1 + (p − 1)/(p·m) (m chunks).
TEST(KorthikantiPipeline, FirstStageHoldsAllLayersOnce) {
  model::Scenario scenario = tests::gpt(96, 12'288, 96, 2048, 1);
  tests::divide(scenario, 8, 8, 1, 64);
  scenario.parallelism.sequence_parallel = true;
  scenario.training.recompute.granularity = RecomputeGranularity::selective;
  const std::int64_t sbh = 2048LL * 12'288;
  const std::int64_t layers = 34 * sbh / 8 * 96;
  const std::int64_t embedding = sbh / 8 * 8;
  const auto first_stage = [&] {
    const auto stages = layout(scenario.model, scenario.parallelism, scenario.stack);
    return stage_activations(scenario, list_operators(scenario), stages.front(), 0).value();
  };
  EXPECT_EQ(first_stage(), layers + embedding);

  scenario.parallelism.schedule = model::Schedule::interleaved_one_f_one_b;
  scenario.parallelism.virtual_pipeline_model_parallel_size = 3;
  // In flight: 2·7 + 2·8 + 1 = 31 chunks of 4 layers where 24 make the model: 1 + 7/24 = 1 + (p − 1)/(p·v). Groups of 8
  // micro batches visit chunks 0, 1, 2 and 0 again: 8 + 7 of chunk 0, the one with the embedding's mask; one forward
  // and one backward (of chunk 2) later 8 + 8.
  EXPECT_EQ(first_stage(), layers / 24 * 31 + 16 * sbh / 8);
}

}  // namespace
}  // namespace shardsim::memory
