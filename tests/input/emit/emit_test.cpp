#include "sim/input/emit/emit.hpp"

#include <gtest/gtest.h>

#include "sim/input/resolve.hpp"
#include "tests/input/emit/read_script.hpp"

namespace shardsim::tests {
namespace {

using input::Framework;
using model::Scenario;

/// 13 B on 192 GPUs: TP 4, PP 2, so DP 24; 384 sequences are 16 micro batches of one.
Scenario job(const std::string& stack, const std::string& cluster) {
  input::Settings settings = presets_of("gpt3-13b", stack, cluster);
  const auto set = [&](const char* key, const char* value) { settings.set({key, value, {}, {}}); };
  set("cluster.gpus", "192");
  set("parallelism.tensor_model_parallel_size", "4");
  set("parallelism.pipeline_model_parallel_size", "2");
  set("training.micro_batch_size", "1");
  set("training.global_batch_size", "384");
  set("training.precision", "fp16");
  return input::resolve(settings);
}

std::string megatron(const Scenario& scenario) { return input::emit(Framework::megatron, scenario, same_prediction); }

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Emit, CoreFlagsAreComplete) {
  const std::string script = megatron(job("megatron-core-te", "v100-dgx2h"));
  // Sixteen GPUs a node: 192 are twelve nodes. The null tokenizer adds one token to its 50256.
  for (const char* part :
       {"#!/bin/bash\n", "torchrun --nproc_per_node 16 --nnodes 12", "pretrain_gpt.py", "--num-layers 40",
        "--hidden-size 5120", "--ffn-hidden-size 20480", "--num-attention-heads 40", "--seq-length 2048",
        "--tokenizer-type NullTokenizer --vocab-size 50256", "--make-vocab-size-divisible-by 128",
        "--tensor-model-parallel-size 4", "--pipeline-model-parallel-size 2", "--micro-batch-size 1",
        "--global-batch-size 384", "--fp16", "--optimizer adam", "--transformer-impl transformer_engine",
        "--attention-backend flash", "--mock-data"}) {
    EXPECT_TRUE(holds(script, part)) << part << "\n" << script;
  }
  EXPECT_TRUE(set_lines(script).empty()) << script;
}

TEST(Emit, FirstGenerationTakesItsOwnNamesAndSaysWhatItLacks) {
  const std::string script = megatron(job("megatron-lm-2019", "v100-dgx2h"));
  EXPECT_TRUE(holds(script, "--model-parallel-size 4")) << script;
  EXPECT_TRUE(holds(script, "--batch-size 1")) << script;
  EXPECT_FALSE(holds(script, "--tensor-model-parallel-size")) << script;
  EXPECT_FALSE(holds(script, "--global-batch-size")) << script;
  EXPECT_TRUE(holds(script, "# --set parallelism.pipeline_model_parallel_size=2 ")) << script;
  EXPECT_TRUE(holds(script, "# --set training.global_batch_size=384 ")) << script;
}

TEST(Emit, RecomputationFollowsTheGeneration) {
  const auto full = [](const std::string& stack) {
    Scenario scenario = job(stack, "v100-dgx2h");
    scenario.training.recompute.granularity = model::RecomputeGranularity::full;
    return megatron(scenario);
  };
  EXPECT_TRUE(holds(full("megatron-lm-2019"), "--checkpoint-activations --checkpoint-num-layers 1"));
  EXPECT_TRUE(holds(full("megatron-lm-2021"), "--activations-checkpoint-method uniform"));
  EXPECT_TRUE(holds(full("megatron-lm-2022"), "--recompute-granularity full --recompute-method uniform"));
  EXPECT_TRUE(holds(full("megatron-deepspeed"), "--deepspeed-activation-checkpointing"));
}

TEST(Emit, WhatTheStackDoesByItselfIsTakenAwayByAFlag) {
  Scenario scenario = job("megatron-core-te", "a100-dgx");
  scenario.stack.fusion.rotary = scenario.stack.fusion.bias_activation = false;
  scenario.model.position_embedding = model::PositionEmbedding::rotary;
  const std::string script = megatron(scenario);
  EXPECT_TRUE(holds(script, "--no-rope-fusion")) << script;
  EXPECT_TRUE(holds(script, "--no-bias-gelu-fusion")) << script;
}

TEST(Emit, GpusThatDoNotFillNodesAreStillAllStarted) {
  Scenario scenario = job("megatron-core-te", "a100-dgx");
  scenario.parallelism.tensor_model_parallel_size = 2;
  scenario.parallelism.pipeline_model_parallel_size = 1;
  scenario.parallelism.data_parallel_size = 6;
  scenario.gpus = 12;
  // Nodes of eight: twelve GPUs are two times six.
  const std::string script = megatron(scenario);
  EXPECT_TRUE(holds(script, "--nproc_per_node 6 --nnodes 2")) << script;
  EXPECT_TRUE(holds(script, "# 12 GPUs do not fill nodes of 8")) << script;
}

TEST(Emit, ANameStaysInsideItsComment) {
  Scenario scenario = job("megatron-core-te", "a100-dgx");
  scenario.name = "x\nrm -rf /";
  EXPECT_TRUE(holds(megatron(scenario), "\n# x rm -rf /: 192 x "));
}

TEST(Emit, KnowsItsFrameworksByName) {
  for (const std::string& name : input::framework_names()) EXPECT_TRUE(input::framework_of(name).has_value()) << name;
  EXPECT_FALSE(input::framework_of("mesh").has_value());
}

}  // namespace
}  // namespace shardsim::tests
