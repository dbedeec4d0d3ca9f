#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/input/schema.hpp"
#include "tests/input/test_presets.hpp"

namespace shardsim::input::test {
namespace {

using model::Scenario;

Scenario with(const std::string& more) { return resolve_text(std::string(kSmallRun) + more); }

const model::Assumption* assumption(const Scenario& scenario, const std::string& key) {
  const auto& all = scenario.assumed;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.key == key; });
  return found == all.end() ? nullptr : &*found;
}

std::string assumed(const Scenario& scenario, const std::string& key) {
  const auto* found = assumption(scenario, key);
  return found == nullptr ? "(not assumed)" : found->value;
}

TEST(Defaults, SmallRun) {
  const Scenario scenario = with("");
  EXPECT_EQ(scenario.model.ffn_hidden_size, 4096);
  EXPECT_EQ(scenario.model.num_query_groups, 16);
  EXPECT_EQ(scenario.model.kv_channels, 64);
  EXPECT_EQ(scenario.model.max_position_embeddings, 1024);
  EXPECT_EQ(scenario.gpus, 1);
  EXPECT_EQ(scenario.parallelism.data_parallel_size, 1);
  EXPECT_EQ(scenario.training.global_batch_size, 4);
  EXPECT_EQ(scenario.cluster.name, "a100-dgx");
  EXPECT_EQ(scenario.cluster.device.name, "a100");
  EXPECT_EQ(scenario.stack.name, "megatron-core-te");
}

TEST(Defaults, EveryAssumptionIsListedWithItsValue) {
  const Scenario scenario = with("");
  EXPECT_EQ(assumed(scenario, "model.family"), "gpt");
  EXPECT_EQ(assumed(scenario, "model.vocab_size"), "50257");
  EXPECT_EQ(assumed(scenario, "model.make_vocab_size_divisible_by"), "128");
  EXPECT_EQ(assumed(scenario, "model.max_position_embeddings"), "1024");
  EXPECT_EQ(assumed(scenario, "model.ffn_hidden_size"), "4096");
  EXPECT_EQ(assumed(scenario, "model.hidden_dropout"), "0.1");
  EXPECT_EQ(assumed(scenario, "training.global_batch_size"), "4");
  EXPECT_EQ(assumed(scenario, "training.precision"), "bf16");
  EXPECT_EQ(assumed(scenario, "training.gradient_dtype"), "fp32");
  EXPECT_EQ(assumed(scenario, "training.optimizer"), "adam");
  EXPECT_EQ(assumed(scenario, "training.attention_kernel"), "flash");
  EXPECT_EQ(assumed(scenario, "training.cross_entropy"), "fused_native");
  EXPECT_EQ(assumed(scenario, "cluster.gpus"), "1");
  EXPECT_EQ(assumed(scenario, "cluster.preset"), "a100-dgx");
  EXPECT_EQ(assumed(scenario, "stack.preset"), "megatron-core-te");
}

TEST(Defaults, AssumedValuesAreTheScenariosOwn) {
  const Scenario scenario = with("[cluster]\ngpus = 4\n");
  for (const auto& one : scenario.assumed) {
    const SchemaKey* key = find_key(one.key);
    if (key != nullptr) {
      EXPECT_EQ(key->write(scenario), one.value) << one.key;
    }
  }
}

TEST(Defaults, GivenValuesAreNotAssumed) {
  const Scenario scenario = with("global_batch_size = 64\nprecision = \"fp16\"\n[cluster]\npreset = \"v100-dgx2h\"\n");
  EXPECT_EQ(assumed(scenario, "training.global_batch_size"), "(not assumed)");
  EXPECT_EQ(assumed(scenario, "training.precision"), "(not assumed)");
  EXPECT_EQ(assumed(scenario, "cluster.preset"), "(not assumed)");
}

// 32 GPUs / (tp 2 · pp 4) = dp 4; 4 sequences · dp 4 = 16.
TEST(Defaults, DataParallelSizeFollowsFromGpus) {
  const Scenario scenario =
      with("[cluster]\ngpus = 32\n[parallelism]\ntensor_model_parallel_size = 2\npipeline_model_parallel_size = 4\n");
  EXPECT_EQ(scenario.parallelism.data_parallel_size, 4);
  EXPECT_EQ(scenario.training.global_batch_size, 16);
  EXPECT_EQ(scenario.parallelism.microbatch_group_size_per_virtual_pipeline_stage, 4);
  EXPECT_EQ(assumed(scenario, "parallelism.overlap.grad_reduce"), "true");
}

TEST(Defaults, GpusFollowFromDataParallelSize) {
  const Scenario scenario = with("[parallelism]\ntensor_model_parallel_size = 2\ndata_parallel_size = 8\n");
  EXPECT_EQ(scenario.gpus, 16);
  EXPECT_EQ(assumed(scenario, "cluster.gpus"), "16");
}

TEST(Defaults, TheStackShards) {
  const Scenario scenario = with("[stack]\ndefault_zero_stage = 3\n");
  EXPECT_EQ(scenario.parallelism.zero_stage, 3);
  EXPECT_EQ(assumed(scenario, "parallelism.zero_stage"), "3");
  EXPECT_EQ(with("[stack]\ndefault_zero_stage = 3\n[parallelism]\nzero_stage = 1\n").parallelism.zero_stage, 1);
  EXPECT_EQ(
      with("[stack]\ndefault_zero_stage = 3\n[parallelism]\nuse_distributed_optimizer = true\n").parallelism.zero_stage,
      1);
}

TEST(Defaults, Bert) {
  const Scenario scenario = resolve_text(
      "[model]\nfamily = \"bert\"\nnum_layers = 24\nhidden_size = 1024\nnum_attention_heads = 16\nseq_length = 512\n"
      "[training]\nmicro_batch_size = 4\n");
  EXPECT_EQ(scenario.model.vocab_size, 30522);
  EXPECT_EQ(scenario.model.attention_mask, model::AttentionMask::bidirectional);
  EXPECT_EQ(scenario.model.output_head, model::OutputHead::masked_lm_and_binary);
  EXPECT_EQ(scenario.model.num_token_types, 2);
  EXPECT_EQ(scenario.model.output_weights, model::OutputWeights::tied);
}

// Megatron: int(4 · 1024 · 2 / 3 / 64) · 64 = int(42.67) · 64 = 2688.
TEST(Defaults, Llama) {
  const Scenario scenario = resolve_text(
      "[model]\nfamily = \"llama\"\nnum_layers = 24\nhidden_size = 1024\nnum_attention_heads = 16\nseq_length = 512\n"
      "[training]\nmicro_batch_size = 4\n");
  EXPECT_EQ(scenario.model.ffn_hidden_size, 2688);
  EXPECT_EQ(scenario.model.normalization, model::Normalization::rms_norm);
  EXPECT_EQ(scenario.model.activation, model::Activation::swiglu);
  EXPECT_EQ(scenario.model.position_embedding, model::PositionEmbedding::rotary);
  EXPECT_EQ(scenario.model.output_weights, model::OutputWeights::untied);
  EXPECT_EQ(scenario.model.linear_bias, model::LinearBias::none);
  EXPECT_EQ(scenario.model.hidden_dropout, 0.0);
}

TEST(Defaults, Mpt) {
  const Scenario scenario = resolve_text(
      "[model]\nfamily = \"mpt\"\nnum_layers = 24\nhidden_size = 1024\nnum_attention_heads = 16\nseq_length = 512\n"
      "output_weights = \"untied\"\n[training]\nmicro_batch_size = 4\n");
  EXPECT_EQ(scenario.model.position_embedding, model::PositionEmbedding::alibi);
  EXPECT_EQ(scenario.model.linear_bias, model::LinearBias::none);
  EXPECT_EQ(scenario.model.output_weights, model::OutputWeights::untied);
  EXPECT_EQ(scenario.model.attention_dropout, 0.0);
}

TEST(Defaults, PrecisionIsWhatTheDeviceHas) {
  EXPECT_EQ(with("[cluster]\npreset = \"v100-dgx2h\"\n").training.precision, model::DType::fp16);
}

TEST(Defaults, GradientFormatFollowsStackAndPrecision) {
  const std::string fp16 = "precision = \"fp16\"\n[stack]\npreset = \"megatron-2019\"\n";
  EXPECT_EQ(with(fp16).training.gradient_dtype, model::DType::fp16);
  EXPECT_EQ(with("accumulate_gradients_in_fp32 = true\n" + fp16).training.gradient_dtype, model::DType::fp32);
  EXPECT_EQ(with("precision = \"fp32\"\n").training.gradient_dtype, model::DType::fp32);
}

TEST(Defaults, DistributedOptimizerIsZeroOne) {
  EXPECT_EQ(with("[parallelism]\nuse_distributed_optimizer = true\n").parallelism.zero_stage, 1);
  EXPECT_EQ(with("[parallelism]\nuse_distributed_optimizer = true\nzero_stage = 3\n").parallelism.zero_stage, 3);
  EXPECT_EQ(with("[parallelism]\nuse_distributed_optimizer = false\n").parallelism.zero_stage, 0);
}

TEST(Defaults, NullTokenizerAddsAToken) {
  const Scenario scenario = resolve_text(
      "[model]\nnum_layers = 2\nhidden_size = 64\nnum_attention_heads = 1\nseq_length = 8\nvocab_size = 32000\n"
      "tokenizer_type = \"NullTokenizer\"\n[training]\nmicro_batch_size = 1\n");
  EXPECT_EQ(scenario.model.vocab_size, 32001);
}

// 24 layers / pp 4 = 6 a stage; 3 a virtual stage: 2 chunks.
TEST(Defaults, LayersPerVirtualStage) {
  const Scenario scenario = with(
      "global_batch_size = 32\n[parallelism]\npipeline_model_parallel_size = 4\n"
      "num_layers_per_virtual_pipeline_stage = 3\n");
  EXPECT_EQ(scenario.parallelism.virtual_pipeline_model_parallel_size, 2);
  EXPECT_EQ(scenario.parallelism.schedule, model::Schedule::interleaved_one_f_one_b);
}

// 64 sequences / (dp 2 · 8 steps) = 4 a micro batch.
TEST(Defaults, MicroBatchFollowsFromAccumulationSteps) {
  const Scenario scenario = resolve_text(
      "gpus = 2\n[model]\nnum_layers = 2\nhidden_size = 64\nnum_attention_heads = 1\nseq_length = 8\n[training]\n"
      "global_batch_size = 64\ngradient_accumulation_steps = 8\n");
  EXPECT_EQ(scenario.training.micro_batch_size, 4);
}

TEST(Defaults, GlobalBatchFollowsFromAccumulationSteps) {
  EXPECT_EQ(with("gradient_accumulation_steps = 8\n").training.global_batch_size, 32);
}

TEST(Defaults, SequenceParallelNeedsTensorParallel) {
  const Scenario scenario = with("[parallelism]\nsequence_parallel = true\n");
  EXPECT_FALSE(scenario.parallelism.sequence_parallel);
  ASSERT_EQ(scenario.warnings.size(), 1U);
  EXPECT_NE(scenario.warnings[0].find("sequence_parallel"), std::string::npos);
}

TEST(Defaults, PartlyUsedNodeIsAWarning) {
  const Scenario scenario = with("[cluster]\ngpus = 12\n");
  ASSERT_EQ(scenario.warnings.size(), 1U);
  EXPECT_NE(scenario.warnings[0].find("12 GPUs do not fill whole nodes of 8"), std::string::npos);
}

TEST(Defaults, KeyValueHeadsAreRepeatedWhereTheStackCan) {
  const Scenario scenario = resolve_text(
      "model = \"llama2-70b\"\nstack = \"nanotron\"\ngpus = 16\n[training]\nmicro_batch_size = 1\n[parallelism]\n"
      "tensor_model_parallel_size = 16\n");
  ASSERT_EQ(scenario.warnings.size(), 1U);
  EXPECT_NE(scenario.warnings[0].find("num_query_groups 8"), std::string::npos);
}

TEST(Defaults, ReadersAssumptionsAreListed) {
  Problems problems;
  Settings settings = read_scenario(kSmallRun, "run.toml", problems);
  settings.set({"training.precision", "fp32", {"train.sh", 0, "--fp16"}, "neither --fp16 nor --bf16"});
  const Scenario scenario = resolve(settings, test_presets());
  EXPECT_EQ(scenario.training.precision, model::DType::fp32);
  ASSERT_NE(assumption(scenario, "training.precision"), nullptr);
  EXPECT_EQ(assumption(scenario, "training.precision")->reason, "neither --fp16 nor --bf16");
}

}  // namespace
}  // namespace shardsim::input::test
