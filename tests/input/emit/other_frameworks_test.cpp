// NeMo's YAML and torchtitan's TOML, read again by the formats' own readers.
// As sim/input/scenario_file.cpp compiles it: one program, one toml++.
#define TOML_ASSERT(expression) static_assert(true)
#define TOML_EXCEPTIONS 0
#include <gtest/gtest.h>
#include <toml++/toml.h>
#include <yaml-cpp/yaml.h>

#include "sim/input/emit/emit.hpp"
#include "sim/input/resolve.hpp"
#include "tests/input/emit/read_script.hpp"

namespace shardsim::tests {
namespace {

using input::Framework;
using model::Scenario;

/// 70 B on 128 GPUs: TP 8, PP 4, DP 4, two chunks a stage; 512 sequences are 128 micro batches of one.
Scenario job(const std::string& stack) {
  input::Settings settings = presets_of("llama3-70b", stack, "h100-dgx");
  const auto set = [&](const char* key, const char* value) { settings.set({key, value, {}, {}}); };
  set("cluster.gpus", "128");
  set("parallelism.tensor_model_parallel_size", "8");
  set("parallelism.pipeline_model_parallel_size", "4");
  set("parallelism.virtual_pipeline_model_parallel_size", "2");
  set("parallelism.sequence_parallel", "true");
  set("parallelism.zero_stage", "1");
  set("training.micro_batch_size", "1");
  set("training.global_batch_size", "512");
  set("training.recompute.granularity", "full");
  return input::resolve(settings);
}

TEST(OtherFrameworks, NemoHoldsEveryValue) {
  const Scenario scenario = job("nemo");
  const YAML::Node root = YAML::Load(input::emit(Framework::nemo, scenario, same_prediction));
  const YAML::Node model = root["model"];
  const auto number = [&](const char* key) { return model[key].as<std::int64_t>(); };
  EXPECT_EQ(root["trainer"]["num_nodes"].as<int>(), 16);
  EXPECT_EQ(root["trainer"]["devices"].as<int>(), 8);
  EXPECT_EQ(root["trainer"]["precision"].as<std::string>(), "bf16");
  EXPECT_EQ(number("tensor_model_parallel_size"), 8);
  EXPECT_EQ(number("pipeline_model_parallel_size"), 4);
  EXPECT_EQ(number("virtual_pipeline_model_parallel_size"), 2);
  EXPECT_EQ(number("micro_batch_size"), 1);
  EXPECT_EQ(number("global_batch_size"), 512);
  EXPECT_EQ(number("num_layers"), scenario.model.num_layers);
  EXPECT_EQ(number("hidden_size"), scenario.model.hidden_size);
  EXPECT_EQ(number("ffn_hidden_size"), scenario.model.ffn_hidden_size);
  EXPECT_EQ(number("num_query_groups"), 8);
  EXPECT_EQ(number("encoder_seq_length"), scenario.model.seq_length);
  EXPECT_TRUE(model["sequence_parallel"].as<bool>());
  EXPECT_EQ(model["activations_checkpoint_granularity"].as<std::string>(), "full");
  EXPECT_EQ(model["activations_checkpoint_method"].as<std::string>(), "uniform");
  EXPECT_EQ(model["normalization"].as<std::string>(), "rmsnorm");
  EXPECT_EQ(model["activation"].as<std::string>(), "fast-swiglu");
  EXPECT_FALSE(model["bias"].as<bool>());
  EXPECT_FALSE(model["share_embeddings_and_output_weights"].as<bool>());
  EXPECT_EQ(model["optim"]["name"].as<std::string>(), "mcore_distributed_optim");
  EXPECT_EQ(model["optim"]["overlap_grad_sync"].as<bool>(), scenario.parallelism.overlap.grad_reduce);
}

TEST(OtherFrameworks, NemoSaysWhatItLacks) {
  Scenario scenario = job("nemo");
  scenario.training.optimizer = model::OptimizerKind::lamb;
  const std::string text = input::emit(Framework::nemo, scenario, same_prediction);
  EXPECT_NE(text.find("# --set training.optimizer=lamb "), std::string::npos) << text;
  EXPECT_NE(text.find("# --set model.vocab_size=128256 "), std::string::npos) << text;
}

TEST(OtherFrameworks, TorchtitanHoldsEveryValue) {
  Scenario scenario = job("torchtitan");
  scenario.parallelism.zero_stage = 3;
  const toml::parse_result read = toml::parse(input::emit(Framework::torchtitan, scenario, same_prediction));
  ASSERT_TRUE(read.succeeded());
  const toml::table& root = read.table();
  const auto number = [&](const char* path) { return root.at_path(path).value<std::int64_t>().value_or(-7); };
  const auto text = [&](const char* path) { return root.at_path(path).value<std::string>().value_or(""); };
  EXPECT_EQ(number("parallelism.tensor_parallel_degree"), 8);
  EXPECT_EQ(number("parallelism.pipeline_parallel_degree"), 4);
  EXPECT_EQ(text("parallelism.pipeline_parallel_schedule"), "Interleaved1F1B");
  EXPECT_EQ(number("parallelism.pipeline_parallel_microbatch_size"), 1);
  // 80 layers in eight pieces.
  EXPECT_EQ(number("parallelism.pipeline_parallel_layers_per_stage"), 10);
  EXPECT_EQ(number("parallelism.data_parallel_replicate_degree"), 1);
  EXPECT_EQ(number("parallelism.data_parallel_shard_degree"), 4);
  EXPECT_EQ(number("parallelism.context_parallel_degree"), 1);
  // The pipeline cuts the local batch of 512 / 4 into micro batches.
  EXPECT_EQ(number("training.local_batch_size"), 128);
  EXPECT_EQ(number("training.global_batch_size"), 512);
  EXPECT_EQ(number("training.seq_len"), scenario.model.seq_length);
  EXPECT_EQ(text("activation_checkpoint.mode"), "full");
  EXPECT_EQ(text("training.mixed_precision_param"), "bfloat16");
}

TEST(OtherFrameworks, TorchtitanSaysWhatItLacks) {
  Scenario scenario = job("torchtitan");
  scenario.training.recompute.granularity = model::RecomputeGranularity::selective;
  const std::string text = input::emit(Framework::torchtitan, scenario, same_prediction);
  EXPECT_NE(text.find("# --set training.recompute.granularity=selective "), std::string::npos) << text;
  // ZeRO 1 alone: FSDP shards gradients and parameters with it.
  EXPECT_NE(text.find("# --set parallelism.zero_stage=1 "), std::string::npos) << text;
}

}  // namespace
}  // namespace shardsim::tests
