// Launch scripts of every generation and shape, with the settings that a reader of the script would write down.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sim/input/resolve.hpp"
#include "support.hpp"

namespace shardsim::input {
namespace {

struct Expected {
  const char* script;
  std::map<std::string, std::string> settings;
  const char* cluster;
  /// Data-parallel size by hand: GPUs / (tp · cp · pp).
  std::int64_t data_parallel_size;
};

const std::vector<Expected>& expected_scripts() {
  static const std::vector<Expected> scripts = {
      {"gpt2_345m_2019.sh",
       {{"model.family", "gpt"},
        {"model.num_layers", "24"},
        {"model.hidden_size", "1024"},
        {"model.num_attention_heads", "16"},
        {"model.seq_length", "1024"},
        {"parallelism.tensor_model_parallel_size", "2"},
        {"training.micro_batch_size", "8"},
        {"training.precision", "fp16"},
        {"training.recompute.granularity", "full"},
        {"training.recompute.method", "uniform"},
        {"stack.preset", "megatron-lm-2019"},
        {"cluster.gpus", "8"}},
       "v100-dgx2h",
       4},
      {"bert_large_2019.sh",
       {{"model.family", "bert"},
        {"model.vocab_size", "30522"},
        {"model.max_position_embeddings", "512"},
        {"training.micro_batch_size", "4"},
        {"training.recompute.granularity", "(none)"},
        {"stack.preset", "megatron-lm-2019"},
        {"cluster.gpus", "1"}},
       "v100-dgx2h",
       1},
      {"gpt3_175b_2021.sh",
       {{"model.num_layers", "96"},
        {"model.hidden_size", "12288"},
        {"parallelism.tensor_model_parallel_size", "8"},
        {"parallelism.pipeline_model_parallel_size", "16"},
        {"training.global_batch_size", "1536"},
        {"training.recompute.granularity", "full"},
        {"training.recompute.method", "uniform"},
        {"training.attention_kernel", "(none)"},
        {"stack.preset", "megatron-lm-2021"},
        {"cluster.gpus", "1024"}},
       "a100-dgx",
       8},
      // MODEL=145B chooses the second case; INTERLEAVED=YES the first branch; MICRO_BATCH_OVERRIDE is unset.
      {"sc21_interleaved.sh",
       {{"model.num_layers", "80"},
        {"model.hidden_size", "12288"},
        {"parallelism.num_layers_per_virtual_pipeline_stage", "2"},
        {"stack.scatter_gather_pipeline_sends", "(none)"},
        {"training.micro_batch_size", "1"},
        {"training.recompute.granularity", "full"},
        {"stack.preset", "megatron-lm-2021"},
        {"cluster.gpus", "1536"}},
       "a100-dgx",
       24},
      // 48 nodes of the #SBATCH lines x 8 processes of the launcher.
      {"bloom_176b_deepspeed.slurm",
       {{"model.num_layers", "70"},
        {"model.hidden_size", "14336"},
        {"model.num_attention_heads", "112"},
        {"model.position_embedding", "alibi"},
        {"model.vocab_size", "250880"},
        {"model.make_vocab_size_divisible_by", "1"},
        {"parallelism.zero_stage", "0"},
        {"training.precision", "bf16"},
        {"training.recompute.granularity", "full"},
        {"stack.layer_split", "balanced_blocks"},
        {"stack.preset", "megatron-deepspeed"},
        {"cluster.gpus", "384"}},
       "a100-jeanzay",
       8},
      {"core_gpt3_arrays.sh",
       {{"parallelism.num_layers_per_virtual_pipeline_stage", "3"},
        {"parallelism.sequence_parallel", "true"},
        {"parallelism.use_distributed_optimizer", "true"},
        {"parallelism.overlap.grad_reduce", "true"},
        {"parallelism.overlap.param_gather", "true"},
        {"training.recompute.granularity", "selective"},
        {"training.attention_kernel", "(none)"},
        {"stack.preset", "megatron-core-te"},
        {"cluster.gpus", "128"}},
       "a100-dgx",
       1},
      {"core_llama2_70b.sh",
       {{"model.ffn_hidden_size", "28672"},
        {"model.num_query_groups", "8"},
        {"model.normalization", "rms_norm"},
        {"model.activation", "swiglu"},
        {"model.linear_bias", "none"},
        {"model.output_weights", "untied"},
        {"model.position_embedding", "rotary"},
        {"model.hidden_dropout", "0.0"},
        {"model.vocab_size", "32000"},
        {"model.make_vocab_size_divisible_by", "1"},
        {"model.seq_length", "4096"},
        {"parallelism.virtual_pipeline_model_parallel_size", "5"},
        {"training.global_batch_size", "128"},
        {"training.precision", "fp8"},
        {"training.attention_kernel", "flash"},
        {"training.cross_entropy", "fused_te"},
        {"stack.preset", "megatron-core-te"},
        {"cluster.gpus", "64"}},
       "h100-dgx",
       2},
      // The second --micro-batch-size wins, as in argparse; gpus = tp 2 x cp 2 when nothing tells more.
      {"flags_line.txt",
       {{"model.family", "(none)"},
        {"model.activation", "squared_relu"},
        {"model.position_embedding", "rotary"},
        {"model.tokenizer_type", "NullTokenizer"},
        {"parallelism.context_parallel_size", "2"},
        {"parallelism.cp_comm_type", "a2a"},
        {"parallelism.rank_order", "tp_cp_pp_dp"},
        {"training.micro_batch_size", "4"},
        {"training.global_batch_size", "512"},
        {"stack.fusion.rotary", "false"},
        {"stack.preset", "megatron-core-local"},
        {"cluster.gpus", "(none)"}},
       "a100-dgx",
       1},
      {"arguments_dump.txt",
       {{"model.ffn_hidden_size", "20480"},
        {"model.num_query_groups", "(none)"},
        {"model.activation", "(none)"},
        {"model.linear_bias", "(none)"},
        {"model.position_embedding", "learned"},
        {"model.vocab_size", "51200"},
        {"parallelism.zero_stage", "(none)"},
        {"parallelism.overlap.pipeline", "false"},
        {"parallelism.use_distributed_optimizer", "true"},
        {"training.accumulate_gradients_in_fp32", "true"},
        {"training.attention_kernel", "flash"},
        {"training.cross_entropy", "(none)"},
        {"training.precision", "bf16"},
        {"training.recompute.granularity", "full"},
        {"training.recompute.method", "block"},
        {"training.recompute.num_layers", "6"},
        {"stack.fusion.bias_activation", "false"},
        {"stack.fusion.masked_softmax", "(none)"},
        {"stack.preset", "megatron-core-local"},
        {"cluster.gpus", "64"}},
       "a100-dgx",
       4},
      {"model_config.yaml",
       {{"model.output_weights", "untied"},
        {"parallelism.sequence_parallel", "false"},
        {"training.recompute.modules", "core_attn layernorm"},
        {"training.attention_kernel", "unfused"},
        {"stack.preset", "megatron-core-te"}},
       "a100-dgx",
       1},
      {"row.json",
       {{"name", "gpt3_mcore_te_tp1_pp4_vp2_account_for_embedding_loss_in_pipeline_split"},
        {"model.vocab_size", "50257"},
        {"parallelism.account_for_embedding_in_pipeline_split", "true"},
        {"parallelism.account_for_loss_in_pipeline_split", "true"},
        {"training.attention_kernel", "flash"},
        {"cluster.gpus", "8"}},
       "a100-dgx",
       2},
      // mpirun -np 64 nodes x 8 GPUs, computed in the script.
      {"llm_jp_172b.sh",
       {{"model.ffn_hidden_size", "38464"},
        {"model.num_query_groups", "16"},
        {"model.vocab_size", "99574"},
        {"parallelism.tensor_model_parallel_size", "4"},
        {"parallelism.pipeline_model_parallel_size", "16"},
        {"training.recompute.granularity", "selective"},
        {"training.attention_kernel", "flash"},
        {"training.global_batch_size", "1728"},
        {"stack.fusion.masked_softmax", "false"},
        {"stack.preset", "megatron-core-te"},
        {"cluster.gpus", "512"}},
       "h100-dgx",
       8},
      // 16 = 2p pending backward passes; unset variables count as empty.
      {"zero_bubble_1p5b.sh",
       {{"model.num_layers", "22"},
        {"parallelism.schedule", "zero_bubble_2p"},
        {"parallelism.num_layers_per_virtual_pipeline_stage", "(none)"},
        {"training.precision", "fp16"},
        {"training.attention_kernel", "flash"},
        {"stack.fusion.bias_dropout_add", "false"},
        {"stack.preset", "megatron-zero-bubble"},
        {"cluster.gpus", "8"}},
       "a100-dgx",
       1},
  };
  return scripts;
}

class LaunchScript : public testing::TestWithParam<Expected> {};

TEST_P(LaunchScript, GivesTheSettingsOfTheScript) {
  const Reading reading = read_script(GetParam().script);
  EXPECT_EQ(reading.problem_text(), "");
  for (const auto& [key, value] : GetParam().settings) EXPECT_EQ(reading.value(key), value) << key;
}

TEST_P(LaunchScript, Resolves) {
  Reading reading = read_script(GetParam().script);
  reading.settings.set({"cluster.preset", GetParam().cluster, {}, ""});
  try {
    EXPECT_EQ(resolve(reading.settings).parallelism.data_parallel_size, GetParam().data_parallel_size);
  } catch (const InputError& error) {
    ADD_FAILURE() << error.what();
  }
}

std::string script_name(const testing::TestParamInfo<Expected>& info) {
  std::string name = info.param.script;
  return name.substr(0, name.find('.'));
}
INSTANTIATE_TEST_SUITE_P(Generations, LaunchScript, testing::ValuesIn(expected_scripts()), script_name);

TEST(LaunchScriptLines, AreThoseOfTheFlagsEvenThroughVariables) {
  const Reading reading = read_script("bloom_176b_deepspeed.slurm");
  // --num-layers stands on line 43 inside GPT_ARGS, which CMD and the launch on the last line only name.
  ASSERT_NE(reading.settings.find("model.num_layers"), nullptr);
  EXPECT_EQ(reading.settings.find("model.num_layers")->origin.line, 43);
}

TEST(ArgumentsDump, UnknownArgumentsAreOneWarning) {
  const Reading reading = read_script("arguments_dump.txt");
  ASSERT_EQ(reading.settings.warnings().size(), 1U);
  EXPECT_TRUE(reading.warns_of("shiny_new_argument"));
}

}  // namespace
}  // namespace shardsim::input
