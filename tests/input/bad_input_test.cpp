// Everything that can be wrong with a run, one case a mistake: never a crash, never silence, and the message names the
// key, the value, the place and what would be right.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/input/test_presets.hpp"

namespace shardsim::input::test {
namespace {

/// A mistake in the sections [parallelism], [training] … below the model of 24 layers, hidden 1024, 16 heads,
/// sequence 1024; the micro batch is 4 unless the case gives its own.
struct Mistake {
  const char* name;
  std::string text;
  const char* key;
  const char* words;
};

void PrintTo(const Mistake& mistake, std::ostream* stream) { *stream << mistake.name; }

std::string model(const std::string& more) {
  return "[model]\nnum_layers = 24\nhidden_size = 1024\nnum_attention_heads = 16\nseq_length = 1024\n" + more +
         "\n[training]\nmicro_batch_size = 4\n";
}
std::string training(const std::string& more) { return model("") + more; }
std::string split(const std::string& parallelism, const std::string& gpus = "8") {
  return "gpus = " + gpus + "\n" + model("") + "[parallelism]\n" + parallelism;
}
/// `layers` layers in pp stages of vpp chunks, m micro batches on one replica.
std::string pipeline(int layers, int pp, int vpp, int batches, const std::string& more = "") {
  return "[model]\nnum_layers = " + std::to_string(layers) +
         "\nhidden_size = 1024\nnum_attention_heads = 16\nseq_length = 1024\n[training]\nmicro_batch_size = 1\n"
         "global_batch_size = " +
         std::to_string(batches) + "\n[parallelism]\npipeline_model_parallel_size = " + std::to_string(pp) +
         "\nvirtual_pipeline_model_parallel_size = " + std::to_string(vpp) + "\n" + more;
}

std::string many(int times, const std::string& text) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

class BadInput : public testing::TestWithParam<Mistake> {};

TEST_P(BadInput, IsOneProblemThatNamesKeyAndRemedy) {
  const Mistake& mistake = GetParam();
  const auto problems = problems_of(mistake.text);
  ASSERT_EQ(problems.size(), 1U) << InputError(problems).what();
  EXPECT_EQ(problems[0].key, mistake.key);
  EXPECT_NE(problems[0].message.find(mistake.words), std::string::npos) << problems[0].message;
  // What stands in the file is named with its file and line.
  const bool in_file = !problems[0].value.empty() && !problems[0].origin.file.empty();
  if (in_file) {
    EXPECT_GT(problems[0].origin.line, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, BadInput,
    testing::Values(
        Mistake{"heads_by_tp",
                "gpus = 3\n" + model("ffn_hidden_size = 3072") + "[parallelism]\ntensor_model_parallel_size = 3",
                "model.num_attention_heads", "no multiple of tensor_model_parallel_size = 3; 15 or 18 would be"},
        Mistake{"ffn_by_tp",
                "gpus = 16\n" + model("ffn_hidden_size = 4100") + "[parallelism]\ntensor_model_parallel_size = 16",
                "model.ffn_hidden_size", "4096 or 4112 would be"},
        Mistake{"hidden_by_heads",
                "[model]\nnum_layers = 24\nhidden_size = 1000\nnum_attention_heads = 16\nseq_length = 1024\n"
                "[training]\nmicro_batch_size = 4",
                "model.hidden_size", "no multiple of the 16 attention heads; give kv_channels"},
        Mistake{"groups_by_tp",
                "gpus = 8\n" + model("num_query_groups = 4") + "[parallelism]\ntensor_model_parallel_size = 8",
                "model.num_query_groups", "no multiple of tensor_model_parallel_size = 8"},
        Mistake{
            "groups_by_tp_neither_divides",
            "gpus = 8\nstack = \"nanotron\"\n[model]\nnum_layers = 24\nhidden_size = 1536\nnum_attention_heads = 24\n"
            "num_query_groups = 3\nseq_length = 1024\n[training]\nmicro_batch_size = 4\n[parallelism]\n"
            "tensor_model_parallel_size = 8",
            "model.num_query_groups", "no multiple of tensor_model_parallel_size = 8"},
        Mistake{"heads_by_groups", model("num_query_groups = 5"), "model.num_query_groups", "does not divide the 16"},
        Mistake{"sequence_by_tp",
                "gpus = 8\n[model]\nnum_layers = 2\nhidden_size = 1024\nnum_attention_heads = 16\n"
                "seq_length = 1001\n[training]\nmicro_batch_size = 4\n[parallelism]\n"
                "tensor_model_parallel_size = 8\nsequence_parallel = true",
                "model.seq_length", "1000 or 1008 would be"},
        Mistake{"sequence_by_cp", "gpus = 3\n" + model("") + "[parallelism]\ncontext_parallel_size = 3",
                "model.seq_length", "2 · context_parallel_size = 6; 1020 or 1026"},
        Mistake{"heads_by_cp_all_to_all", split("context_parallel_size = 32\ncp_comm_type = \"a2a\"", "32"),
                "model.num_attention_heads", "cp_comm_type a2a"},
        Mistake{"positions", model("max_position_embeddings = 512"), "model.max_position_embeddings",
                "smaller than seq_length = 1024"},
        Mistake{"experts", model("num_experts = 8"), "model.num_experts", "only dense models"}),
    [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Division, BadInput,
    testing::Values(
        Mistake{"product_is_not_gpus", split("tensor_model_parallel_size = 2\ndata_parallel_size = 3"),
                "parallelism.data_parallel_size", "are not the 8 GPUs; dp would have to be 4"},
        Mistake{"gpus_by_model_parallel", split("tensor_model_parallel_size = 16"), "cluster.gpus",
                "no multiple of tp 16 · cp 1 · pp 1 = 16"},
        Mistake{"too_many_gpus",
                model("") + "[parallelism]\ndata_parallel_size = 1000000\ntensor_model_parallel_size = 16",
                "cluster.gpus", "within 1 … 4194304"},
        Mistake{"global_batch", "gpus = 2\n" + training("global_batch_size = 12"), "training.global_batch_size",
                "no multiple of micro_batch_size · data_parallel_size = 8; 8 or 16 would be"},
        Mistake{"global_batch_too_small", "gpus = 2\n" + training("global_batch_size = 4"),
                "training.global_batch_size", "= 8; 8 would be"},
        Mistake{"accumulation_steps", training("global_batch_size = 16\ngradient_accumulation_steps = 3"),
                "training.gradient_accumulation_steps", "does not fit global batch 16"},
        Mistake{"optimizer_instances",
                "gpus = 8\n" + model("") + "[parallelism]\nzero_stage = 1\nnum_distributed_optimizer_instances = 3",
                "parallelism.num_distributed_optimizer_instances", "does not divide data_parallel_size = 8"},
        Mistake{"instances_without_sharding", split("num_distributed_optimizer_instances = 2"),
                "parallelism.num_distributed_optimizer_instances", "needs a sharded optimizer"},
        Mistake{"zero_2_with_pipeline",
                "gpus = 2\nstack = \"megatron-deepspeed\"\n" + model("") +
                    "[parallelism]\npipeline_model_parallel_size = 2\nzero_stage = 2",
                "parallelism.zero_stage", "does not work with a pipeline"}),
    [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Pipeline, BadInput,
    testing::Values(
        Mistake{"layers_by_stages", pipeline(25, 4, 1, 8), "model.num_layers", "25 layers do not divide into 4"},
        // The known trap: 80 / 16 = 5 layers a stage, which two chunks cannot share; elsewhere it trains 64 silently.
        Mistake{"layers_by_virtual_stages", pipeline(80, 16, 2, 16), "model.num_layers",
                "a multiple of 32 would be right"},
        Mistake{"layers_per_virtual_stage", pipeline(80, 16, 1, 16, "num_layers_per_virtual_pipeline_stage = 2\n"),
                "parallelism.num_layers_per_virtual_pipeline_stage",
                "does not divide the 5 layers of a pipeline stage"},
        Mistake{"more_stages_than_layers", pipeline(2, 8, 1, 8), "model.num_layers", "fewer than 8"},
        Mistake{"first_and_last_stage",
                pipeline(24, 4, 1, 8, "decoder_first_pipeline_num_layers = 5\ndecoder_last_pipeline_num_layers = 6\n"),
                "model.num_layers", "13 layers are left for 2"},
        Mistake{"virtual_stages_of_one", pipeline(24, 1, 2, 8), "parallelism.virtual_pipeline_model_parallel_size",
                "needs pipeline_model_parallel_size > 1"},
        // 10 micro batches in groups of 4: remainder 2 < 4 stages.
        Mistake{"interleaving_remainder", pipeline(24, 4, 2, 10), "training.global_batch_size",
                "leave a remainder of 2"},
        // 11 = 8 + 3 in groups of 8, but 4 stages.
        Mistake{"interleaving_remainder_of_group",
                pipeline(24, 4, 2, 11, "microbatch_group_size_per_virtual_pipeline_stage = 8\n"),
                "training.global_batch_size", "remainder of 3 after groups of 8"},
        Mistake{"interleaving_group_too_small",
                pipeline(24, 4, 2, 8, "microbatch_group_size_per_virtual_pipeline_stage = 2\n"),
                "parallelism.microbatch_group_size_per_virtual_pipeline_stage",
                "at least pipeline_model_parallel_size = 4"},
        // 12 = 8 + 4 passes in groups of 8 on Megatron-Core; 14 does not divide into 4 stages on the older rule.
        Mistake{"older_interleaving", "stack = \"megatron-2019\"\n" + pipeline(24, 4, 2, 14),
                "training.global_batch_size", "no multiple of the 4 pipeline stages"},
        Mistake{"schedule_of_one_chunk", pipeline(24, 4, 2, 8, "schedule = \"gpipe\"\n"), "parallelism.schedule",
                "interleaved_one_f_one_b would be right"},
        Mistake{"breadth_first_with_few_micro_batches", pipeline(24, 4, 2, 3, "schedule = \"breadth_first\"\n"),
                "training.global_batch_size", "3 micro batches per iteration are fewer than the 4 pipeline stages"},
        Mistake{"interleaving_without_chunks", pipeline(24, 4, 1, 8, "schedule = \"interleaved_one_f_one_b\"\n"),
                "parallelism.schedule", "needs virtual_pipeline_model_parallel_size > 1"}),
    [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Values, BadInput,
    testing::Values(
        Mistake{"zero", split("tensor_model_parallel_size = 0"), "parallelism.tensor_model_parallel_size",
                "within 1 … "},
        Mistake{"negative", training("global_batch_size = -8"), "training.global_batch_size", "within 1 … "},
        Mistake{"not_a_number", model("hidden_dropout = nan"), "model.hidden_dropout", "must be a finite number"},
        Mistake{"infinite", model("hidden_dropout = inf"), "model.hidden_dropout", "must be a finite number"},
        Mistake{"huge", training("global_batch_size = 9223372036854775807"), "training.global_batch_size",
                "within 1 … "},
        Mistake{"huge_text", training("global_batch_size = \"99999999999999999999\""), "training.global_batch_size",
                "too large"},
        Mistake{"float_for_integer", training("global_batch_size = 8.0"), "training.global_batch_size", "digits only"},
        Mistake{"exponent_for_integer", training("global_batch_size = 1e3"), "training.global_batch_size",
                "digits only"},
        Mistake{"text_for_integer", training("global_batch_size = \"many\""), "training.global_batch_size",
                "whole number"},
        Mistake{"text_for_bool", split("sequence_parallel = \"yes\""), "parallelism.sequence_parallel",
                "true or false"},
        Mistake{"choice", training("recompute.granularity = \"selectiv\""), "training.recompute.granularity",
                "did you mean \"selective\""},
        Mistake{"recompute_module", training("recompute.modules = [\"attention\"]"), "training.recompute.modules",
                "\"attention\" is no recomputable part"},
        Mistake{"bare_number_for_size", model("") + "[device]\nmemory_capacity = 80", "device.memory_capacity",
                "with its unit, like \"80 GiB\""},
        Mistake{"oversubscribed_without_leaves", model("") + "[cluster]\nfabric_oversubscription = 2\n",
                "cluster.nodes_per_leaf", "is required with fabric_oversubscription"},
        Mistake{"undersubscribed", model("") + "[cluster]\nfabric_oversubscription = 0.5\nnodes_per_leaf = 4\n",
                "cluster.fabric_oversubscription", "1"},
        Mistake{"negative_leaf", model("") + "[cluster]\nfabric_oversubscription = 2\nnodes_per_leaf = -4\n",
                "cluster.nodes_per_leaf", "within 0"},
        Mistake{"unit_of_another_kind", model("") + "[cluster.inter_node]\nbandwidth = \"200 GiB\"",
                "cluster.inter_node.bandwidth", "no unit of bandwidth"},
        Mistake{"too_large_to_compute",
                "[model]\nnum_layers = 10000\nhidden_size = 1048576\nnum_attention_heads = 65536\nkv_channels = 128\n"
                "seq_length = 1024\n[training]\nmicro_batch_size = 1",
                "model.hidden_size", "too large to compute"},
        Mistake{"activations_too_large",
                "[model]\nnum_layers = 1000\nhidden_size = 1024\nnum_attention_heads = 16\n"
                "seq_length = 4194304\n[training]\nmicro_batch_size = 65536",
                "model.seq_length", "too large to compute"},
        Mistake{"derived_too_large",
                "[model]\nnum_layers = 1\nhidden_size = 65536\nnum_attention_heads = 1\nseq_length = 8\n"
                "[training]\nmicro_batch_size = 1",
                "model.kv_channels", "follows from the other values but must be within"}),
    [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Names, BadInput,
    testing::Values(
        Mistake{"unknown_cluster", "cluster = \"a100-dxg\"\n" + model(""), "cluster.preset",
                "did you mean \"a100-dgx\""},
        Mistake{"unknown_cluster_far", "cluster = \"tpu\"\n" + model(""), "cluster.preset",
                "known: a100-dgx, v100-dgx2h"},
        Mistake{"unknown_device", "device = \"a10\"\n" + model(""), "device.preset", "did you mean \"a100\""},
        Mistake{"unknown_stack", "stack = \"nanotrn\"\n" + model(""), "stack.preset", "did you mean \"nanotron\""},
        Mistake{"unknown_model", "model = \"gpt3-175\"\n[training]\nmicro_batch_size = 1", "model.preset",
                "did you mean \"gpt3-175b\""},
        Mistake{"unknown_key", model("hiden_size = 3"), "model.hiden_size", "did you mean \"model.hidden_size\""},
        Mistake{"key_in_wrong_section", model("global_batch_size = 8"), "model.global_batch_size",
                "did you mean \"training.global_batch_size\""},
        Mistake{"unknown_section", model("") + "[paralelism]\ntensor_model_parallel_size = 1",
                "paralelism.tensor_model_parallel_size", "did you mean \"parallelism.tensor_model_parallel_size\""},
        Mistake{"format_of_device", "cluster = \"v100-dgx2h\"\n" + training("precision = \"bf16\""),
                "training.precision", "the device v100 has no bf16 matrix products; it has fp32, fp16"},
        Mistake{"fp8_of_a100", training("precision = \"fp8\""), "training.precision", "it has fp32, tf32, bf16, fp16"},
        Mistake{"device_without_bandwidth", model("") + "[device]\nmemory_bandwidth = \"0 GB/s\"",
                "device.memory_bandwidth", "must be more than 0"}),
    [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Files, BadInput,
    testing::Values(Mistake{"empty", "", "", "is empty"}, Mistake{"comments_only", "# nothing\n", "", "is empty"},
                    Mistake{"syntax", "[model\nnum_layers = 3", "", "no valid TOML"},
                    Mistake{"table_without_key", "[(]", "", "no valid TOML"},
                    Mistake{"endless_key", many(100000, "a.") + "a = 1", "", "a key has too many parts"},
                    Mistake{"typographic_quotes", "[model]\nname = \"µ\" # é\nfamily = “gpt”", "", "outside of quotes"},
                    Mistake{"twice", "[model]\nnum_layers = 3\nnum_layers = 4", "", "no valid TOML"},
                    Mistake{"binary",
                            std::string("\x7f"
                                        "ELF\0\0\1",
                                        7),
                            "", "no text file"},
                    Mistake{"no_utf8", "name = \"\xff\xfe\"", "", "no valid TOML"}),
    [](const auto& one) { return one.param.name; });

TEST(BadInputTogether, EveryMissingValueAtOnce) {
  const auto problems = problems_of("[training]\nprecision = \"bf16\"");
  std::vector<std::string> keys;
  for (const Problem& problem : problems) {
    keys.push_back(problem.key);
    EXPECT_NE(problem.message.find("is required and missing"), std::string::npos);
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"model.num_layers", "model.hidden_size", "model.num_attention_heads",
                                            "model.seq_length", "training.micro_batch_size"}));
}

TEST(BadInputTogether, SixMistakesAreSixProblems) {
  const auto problems = problems_of(R"(
gpus = 12
cluster = "h100"
[model]
num_layers = 25
hidden_size = 1024
num_attention_heads = 15
kv_channels = 64
seq_length = 1024
colour = "blue"
[training]
micro_batch_size = 4
global_batch_size = 10
precision = "fp17"
[parallelism]
tensor_model_parallel_size = 2
pipeline_model_parallel_size = 2
)");
  std::vector<std::string> keys;
  for (const Problem& problem : problems) keys.push_back(problem.key);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(keys, (std::vector<std::string>{"cluster.preset", "model.colour", "model.num_attention_heads",
                                            "model.num_layers", "training.global_batch_size", "training.precision"}));
}

TEST(BadInputTogether, TheMessageNamesFileLineKeyValueAndRemedy) {
  const auto problems = problems_of(model("colour = \"blue\""));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(to_string(problems[0]), "run.toml:6: model.colour = blue: is no known key");
}

/// Interleaving that Megatron-Core accepts: remainder 0, and remainder of at least the pipeline size.
TEST(GoodInput, InterleavingRemainders) {
  EXPECT_TRUE(problems_of(pipeline(24, 4, 2, 8)).empty());
  EXPECT_TRUE(problems_of(pipeline(24, 4, 2, 12, "microbatch_group_size_per_virtual_pipeline_stage = 8\n")).empty());
}

TEST(GoodInput, UnevenSplitWhereTheStackDealsSo) {
  EXPECT_TRUE(problems_of("stack = \"nanotron\"\n" + pipeline(25, 4, 1, 8)).empty());
}

}  // namespace
}  // namespace shardsim::input::test
