#include "sim/memory/memory.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/memory/activations.hpp"
#include "sim/memory/device_use.hpp"
#include "sim/memory/model_state.hpp"
#include "sim/model/parameters.hpp"
#include "sim/model/rank_sizes.hpp"
#include "tests/support/scenarios.hpp"

namespace shardsim::memory {
namespace {

using model::DType;

Memory predict(const model::Scenario& scenario) {
  return predict_memory(scenario, layout(scenario.model, scenario.parallelism, scenario.stack),
                        list_operators(scenario));
}

model::Scenario with(DType precision, DType gradients, int zero_stage) {
  model::Scenario scenario = tests::gpt(4, 512, 8, 512, 1);
  tests::divide(scenario, 1, 1, 8, 1);
  scenario.training.precision = precision;
  scenario.training.gradient_dtype = gradients;
  scenario.parallelism.zero_stage = zero_stage;
  return scenario;
}

// Megatron-LM, "distributed optimizer" documentation: bytes per parameter, d = data-parallel size (8 here).
TEST(ModelState, BytesPerParameter) {
  EXPECT_DOUBLE_EQ(bytes_per_parameter(with(DType::bf16, DType::fp32, 0)), 18.0);
  EXPECT_DOUBLE_EQ(bytes_per_parameter(with(DType::bf16, DType::fp32, 1)), 6.0 + 12.0 / 8);
  EXPECT_DOUBLE_EQ(bytes_per_parameter(with(DType::fp16, DType::fp16, 1)), 4.0 + 16.0 / 8);
  EXPECT_DOUBLE_EQ(bytes_per_parameter(with(DType::fp32, DType::fp32, 0)), 16.0);
  EXPECT_DOUBLE_EQ(bytes_per_parameter(with(DType::fp32, DType::fp32, 1)), 8.0 + 8.0 / 8);
}

// fp16 without the distributed optimizer: 2 + 2 + 12 held, 4 more for the step's fp32 gradients: 20 at the step.
TEST(ModelState, Fp16CopiesGradientsForTheStep) {
  const model::Scenario scenario = with(DType::fp16, DType::fp16, 0);
  const model::Stage stage = layout(scenario.model, scenario.parallelism, scenario.stack).front();
  const ModelState state = model_state(scenario, stage);
  const std::int64_t n = model::rank_parameters(scenario, stage);
  EXPECT_EQ((state.parameters + state.gradients + state.optimizer).value(), 16 * n);
  EXPECT_EQ(state.step_temporaries.value(), 4 * n);
}

TEST(ModelState, ZeroStagesShardInOrder) {
  const std::int64_t n = model::total_parameters(with(DType::bf16, DType::fp32, 0));
  const std::int64_t share = (n + 7) / 8;
  const auto state = [](int zero_stage) {
    const model::Scenario scenario = with(DType::bf16, DType::fp32, zero_stage);
    return model_state(scenario, layout(scenario.model, scenario.parallelism, scenario.stack).front());
  };
  EXPECT_EQ(state(1).optimizer.value(), 12 * share);
  EXPECT_EQ(state(1).gradients.value(), 4 * n);
  EXPECT_EQ(state(2).gradients.value(), 4 * share);
  EXPECT_EQ(state(2).parameters.value(), 2 * n);
  EXPECT_EQ(state(3).parameters.value(), 2 * share);
}

TEST(Memory, ComponentsSumToThePeak) {
  model::Scenario scenario = tests::gpt(24, 1024, 16, 1024, 4);
  tests::divide(scenario, 2, 4, 2, 8);
  scenario.cluster.device.memory_capacity = 80_GiB;
  for (const auto granularity : {model::RecomputeGranularity::none, model::RecomputeGranularity::selective,
                                 model::RecomputeGranularity::full, model::RecomputeGranularity::operators}) {
    scenario.training.recompute.granularity = granularity;
    for (const StageMemory& stage : predict(scenario).stages) {
      EXPECT_EQ(stage.parameters + stage.gradients + stage.optimizer + stage.activations + stage.temporaries +
                    stage.logits + stage.workspace,
                stage.peak_allocated);
      EXPECT_GE(stage.peak_reserved, stage.peak_allocated);
      EXPECT_GE(stage.device_used, stage.peak_reserved);
    }
  }
}

TEST(Memory, RecomputationTradesMemoryInOrder) {
  model::Scenario scenario = tests::gpt(24, 1024, 16, 1024, 4);
  tests::divide(scenario, 2, 4, 1, 8);
  const auto first_stage = [&](model::RecomputeGranularity granularity) {
    scenario.training.recompute.granularity = granularity;
    return predict(scenario).stages.front().peak_allocated;
  };
  const Bytes none = first_stage(model::RecomputeGranularity::none);
  const Bytes selective = first_stage(model::RecomputeGranularity::selective);
  const Bytes full = first_stage(model::RecomputeGranularity::full);
  EXPECT_LT(selective, none);
  EXPECT_LT(full, selective);
}

// The loss is the last stage's business; GPipe keeps the softmax of every earlier micro batch, 1F1B of none.
TEST(Memory, LogitsOfTheLastStage) {
  model::Scenario scenario = tests::gpt(8, 512, 8, 512, 2);
  tests::divide(scenario, 2, 2, 1, 4);
  const model::RankSizes sizes{scenario};
  const std::int64_t logits = 2 * 512 * 51'200 / 2;
  const Logits loss = memory::logits(scenario, sizes);
  EXPECT_EQ(loss.peak, rounded_bytes(scenario.stack.logit_bytes.unfused * logits));
  EXPECT_EQ(kept_logits(scenario, loss), Bytes{0});
  scenario.parallelism.schedule = model::Schedule::gpipe;
  EXPECT_EQ(kept_logits(scenario, loss), Bytes{3 * 4 * logits});
}

// Normal distribution: at the capacity one half; one standard deviation below it P(Z > 1) = 0.158655.
TEST(DeviceUse, OutOfMemoryProbability) {
  EXPECT_DOUBLE_EQ(out_of_memory_probability(80_GiB, 80_GiB, 0.05), 0.5);
  const Bytes needed{1'000'000'000};
  EXPECT_NEAR(out_of_memory_probability(needed, Bytes{1'050'000'000}, 0.05), 0.158655, 1e-6);
  EXPECT_EQ(out_of_memory_probability(81_GiB, 80_GiB, 0.0), 1.0);
}

TEST(DeviceUse, CommunicatorsPerGroupOfRanks) {
  model::Scenario scenario = tests::gpt(8, 512, 8, 512, 2);
  EXPECT_EQ(communicators(scenario), 0);
  tests::divide(scenario, 1, 1, 8, 1);
  EXPECT_EQ(communicators(scenario), 1);
  tests::divide(scenario, 2, 2, 2, 4);
  EXPECT_EQ(communicators(scenario), 5);  // tensor, pipeline, data, embedding, model
}

// Context parallelism opens its own group beside that of the gradients: context, data, model.
TEST(DeviceUse, ContextParallelRanksShareGradientsToo) {
  model::Scenario scenario = tests::gpt(8, 512, 8, 512, 2);
  tests::divide(scenario, 1, 1, 1, 1);
  scenario.parallelism.context_parallel_size = 2;
  EXPECT_EQ(communicators(scenario), 3);
}

// One block per layer and ring step: 4 layers, cp = 2, residual 1 sequence of 512/2 tokens of 512 elements of 2 bytes.
TEST(DeviceUse, RingAttentionKeepsBlocks) {
  model::Scenario scenario = tests::gpt(4, 512, 8, 512, 1);
  scenario.parallelism.context_parallel_size = 2;
  scenario.stack.allocator.ring_attention_blocks = 1.0;
  const model::Stage stage = layout(scenario.model, scenario.parallelism, scenario.stack).front();
  EXPECT_EQ(ring_attention_blocks(scenario, model::RankSizes{scenario}, stage), Bytes{4 * 256 * 512 * 2});
  scenario.parallelism.cp_comm_type = model::ContextParallelComm::all_gather;
  EXPECT_EQ(ring_attention_blocks(scenario, model::RankSizes{scenario}, stage), Bytes{0});
}

// h = 512, ffn 4·512, 2 bytes: shapes of qkv 3h², projection h², and both ffn layers 4h², 12h² in all; at the output
// layer V·h, the logits' gradients and one gradient of its input.
TEST(Placeholders, OnePerShapeOfALayersWeights) {
  model::Scenario scenario = tests::gpt(4, 512, 8, 512, 1);
  const model::RankSizes sizes{scenario};
  EXPECT_EQ(kept_placeholders(scenario, sizes), Bytes{0});
  EXPECT_EQ(output_layer_gradients(scenario, sizes), Bytes{0});
  scenario.stack.placeholder_gradients = model::PlaceholderGradients::cached;
  EXPECT_EQ(kept_placeholders(scenario, sizes), Bytes{12 * 512 * 512 * 2});
  const std::int64_t tokens = 512;
  EXPECT_EQ(output_layer_gradients(scenario, sizes),
            Bytes{2 * (tokens * sizes.vocab + 512 * sizes.vocab + tokens * 512)});
}

}  // namespace
}  // namespace shardsim::memory
