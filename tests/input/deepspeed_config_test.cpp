#include <gtest/gtest.h>

#include <algorithm>

#include "sim/input/framework_config.hpp"
#include "tests/input/test_presets.hpp"

namespace shardsim::input::test {
namespace {

/// The run of a DeepSpeed configuration beside the small run's model, and beside flags that are given.
model::Scenario resolve_deepspeed(std::string_view config, const std::vector<Setting>& flags = {}) {
  Problems problems;
  Settings settings = read_scenario(
      "gpus = 16\n[model]\nnum_layers = 24\nhidden_size = 1024\nnum_attention_heads = 16\nseq_length = 1024\n",
      "run.toml", problems);
  for (const Setting& flag : flags) settings.set(flag);
  settings.merge(read_deepspeed_config(config, "ds.json", problems));
  problems.throw_if_any();
  return resolve(settings, test_presets());
}

// The example of DeepSpeed's ZeRO tutorial, with offload. 16 GPUs · 8 sequences · 1 step = 128.
TEST(DeepSpeed, FullConfiguration) {
  const auto scenario = resolve_deepspeed(R"({
    "train_batch_size": 128,
    "train_micro_batch_size_per_gpu": 8,
    "gradient_accumulation_steps": 1,
    "fp16": {"enabled": true, "loss_scale": 0},
    "zero_optimization": {
      "stage": 2, "overlap_comm": true, "reduce_bucket_size": 5e8, "allgather_bucket_size": 5e8,
      "contiguous_gradients": true, "offload_optimizer": {"device": "cpu", "pin_memory": true}
    },
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}
  })");
  EXPECT_EQ(scenario.parallelism.zero_stage, 2);
  EXPECT_TRUE(scenario.parallelism.overlap.grad_reduce);
  EXPECT_EQ(scenario.training.precision, model::DType::fp16);
  EXPECT_EQ(scenario.training.micro_batch_size, 8);
  EXPECT_EQ(scenario.training.global_batch_size, 128);
  EXPECT_EQ(scenario.training.offload, model::Offload::optimizer);
  EXPECT_TRUE(std::any_of(scenario.warnings.begin(), scenario.warnings.end(), [](const std::string& warning) {
    return warning.find("CPU offload counts in memory only") != std::string::npos;
  }));
  EXPECT_EQ(scenario.training.optimizer, model::OptimizerKind::adam);
  EXPECT_EQ(scenario.stack.gradient_bucket, Bytes{1'000'000'000});  // 5e8 elements of 2 bytes
}

TEST(DeepSpeed, OffloadOfParameters) {
  const auto scenario = resolve_deepspeed(R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true},
      "zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}, "offload_optimizer": {"device": "cpu"}}})");
  EXPECT_EQ(scenario.training.offload, model::Offload::optimizer_and_parameters);
  EXPECT_EQ(scenario.parallelism.zero_stage, 3);
  EXPECT_EQ(scenario.training.precision, model::DType::bf16);
}

TEST(DeepSpeed, OffloadToNowhereIsNone) {
  const auto scenario = resolve_deepspeed(R"({"train_micro_batch_size_per_gpu": 1,
      "zero_optimization": {"stage": 3, "offload_param": {"device": "none"}}})");
  EXPECT_EQ(scenario.training.offload, model::Offload::none);
}

// The micro batch follows: 256 / (16 GPUs · 4 steps) = 4.
TEST(DeepSpeed, MicroBatchFollows) {
  const auto scenario = resolve_deepspeed(R"({"train_batch_size": 256, "gradient_accumulation_steps": 4})");
  EXPECT_EQ(scenario.training.micro_batch_size, 4);
}

TEST(DeepSpeed, AutoIsTheFlagsValue) {
  const auto scenario = resolve_deepspeed(
      R"({"train_micro_batch_size_per_gpu": "auto", "train_batch_size": "auto", "fp16": {"enabled": "auto"},
          "zero_optimization": {"stage": 1, "reduce_bucket_size": "auto"}})",
      {{"training.micro_batch_size", "2", {"train.sh", 1, "--micro-batch-size"}, {}},
       {"training.precision", "bf16", {"train.sh", 1, "--bf16"}, {}}});
  EXPECT_EQ(scenario.training.micro_batch_size, 2);
  EXPECT_EQ(scenario.training.precision, model::DType::bf16);
  // micro batch 2 · dp 16, and the reason names the open value.
  bool named = false;
  for (const auto& one : scenario.assumed) {
    if (one.key != "training.global_batch_size") continue;
    EXPECT_EQ(one.value, "32");
    named = one.reason.find("\"train_batch_size\" is \"auto\" in ds.json:1") != std::string::npos;
  }
  EXPECT_TRUE(named);
}

TEST(DeepSpeed, OpenStageIsAWarning) {
  const auto scenario =
      resolve_deepspeed(R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": "auto"}})");
  ASSERT_EQ(scenario.warnings.size(), 1U);
  EXPECT_NE(scenario.warnings[0].find("stage is \"auto\""), std::string::npos) << scenario.warnings[0];
}

struct BadConfig {
  const char* text;
  const char* key;
  const char* words;
};
class BadDeepSpeed : public testing::TestWithParam<BadConfig> {};
TEST_P(BadDeepSpeed, IsNamed) {
  try {
    (void)resolve_deepspeed(GetParam().text);
    FAIL() << "accepted: " << GetParam().text;
  } catch (const InputError& error) {
    bool named = false;
    for (const Problem& problem : error.problems()) {
      named = named || (problem.key == GetParam().key && problem.message.find(GetParam().words) != std::string::npos);
    }
    EXPECT_TRUE(named) << error.what();
  }
}
INSTANTIATE_TEST_SUITE_P(
    DeepSpeed, BadDeepSpeed,
    testing::Values(
        BadConfig{R"({"train_micro_batch_size_per_gpu": "auto"})", "training.micro_batch_size",
                  "missing (\"train_micro_batch_size_per_gpu\" is \"auto\" in ds.json:1)"},
        BadConfig{R"({"train_micro_batch_size_per_gpu": MBSIZE})", "training.micro_batch_size", "placeholder"},
        BadConfig{R"({"train_micro_batch_size_per_gpu": "${MICRO}"})", "training.micro_batch_size", "placeholder"},
        BadConfig{R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": "{{zero}}"}})",
                  "parallelism.zero_stage", "placeholder"},
        BadConfig{R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 4}})",
                  "parallelism.zero_stage", "within 0 … 3"},
        BadConfig{R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": 2})", "zero_optimization",
                  "must be an object"},
        BadConfig{R"({"train_micro_batch_size_per_gpu": 1, "fp16": {"enabled": 7}})", "fp16.enabled", "true or false"},
        BadConfig{
            R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"offload_param": {"device": "disk"}}})",
            "offload_param.device", "none, cpu or nvme"},
        BadConfig{R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"reduce_bucket_size": -5}})",
                  "reduce_bucket_size", "number of elements"},
        // 2 · 16 GPUs · 4 steps = 128, not 100.
        BadConfig{R"({"train_batch_size": 100, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4})",
                  "training.gradient_accumulation_steps", "does not fit"},
        BadConfig{"{", "", "no valid JSON"}));

}  // namespace
}  // namespace shardsim::input::test
