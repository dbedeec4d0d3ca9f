// Single flags: spellings, aliases, what they mean together, what is warned of.
#include <gtest/gtest.h>

#include <string>

#include "sim/input/megatron/flag_table.hpp"
#include "support.hpp"

namespace shardsim::input {
namespace {

struct Line {
  const char* flags;
  const char* key;
  const char* value;
};

class FlagLine : public testing::TestWithParam<Line> {};

TEST_P(FlagLine, GivesTheSetting) {
  const Reading reading = read(std::string("--num-layers 2 ") + GetParam().flags);
  EXPECT_EQ(reading.problem_text(), "");
  EXPECT_EQ(reading.value(GetParam().key), GetParam().value) << GetParam().flags;
}

INSTANTIATE_TEST_SUITE_P(
    Meanings, FlagLine,
    testing::Values(
        Line{"--hidden-size=64", "model.hidden_size", "64"}, Line{"--hidden_size 64", "model.hidden_size", "64"},
        Line{"--hidden-size 8 --hidden-size 16", "model.hidden_size", "16"},
        Line{"--model-parallel-size 4", "parallelism.tensor_model_parallel_size", "4"},
        Line{"--tensor-model-parallel 4", "parallelism.tensor_model_parallel_size", "4"},
        Line{"--batch-size 8", "training.micro_batch_size", "8"}, Line{"--seq-length -1", "model.seq_length", "-1"},
        Line{"--encoder-seq-length 512", "model.seq_length", "512"},
        Line{"--use-distributed-optimizer", "parallelism.use_distributed_optimizer", "true"},
        Line{"--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads", "parallelism.zero_stage", "2"},
        Line{"--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params", "parallelism.zero_stage", "3"},
        Line{"--data-parallel-sharding-strategy optim_grads", "parallelism.zero_stage", "(none)"},
        Line{"--use-torch-fsdp2", "parallelism.zero_stage", "3"},
        Line{"--use-torch-fsdp2 --torch-fsdp2-no-reshard-after-forward", "parallelism.zero_stage", "2"},
        Line{"--zero-stage 2", "parallelism.zero_stage", "2"},
        Line{"--num-query-groups 4", "model.num_query_groups", "(none)"},
        Line{"--group-query-attention --num-query-groups 4", "model.num_query_groups", "4"},
        Line{"--group-query-attention", "model.num_query_groups", "1"},
        Line{"--num-key-value-heads 8", "model.num_query_groups", "8"},
        Line{"--no-position-embedding", "model.position_embedding", "none"},
        Line{"--no-position-embedding --use-rotary-position-embeddings", "model.position_embedding", "rotary"},
        Line{"--normalization rmsnorm", "model.normalization", "rms_norm"},
        Line{"--apply-residual-connection-post-layernorm", "model.norm_placement", "post"},
        Line{"--num-experts 8", "model.num_experts", "8"}, Line{"--num-experts 1", "model.num_experts", "(none)"},
        Line{"--bert-no-binary-head", "model.output_head", "masked_lm"},
        Line{"--bert-no-binary-head", "model.family", "bert"},
        Line{"--checkpoint-activations --checkpoint-num-layers 2", "training.recompute.num_layers", "2"},
        Line{"--recompute-activations", "training.recompute.granularity", "selective"},
        Line{"--recompute-granularity full --recompute-method block", "training.recompute.method", "block"},
        Line{"--partition-activations", "training.recompute.distribute_saved_activations", "true"},
        Line{"--attention-backend fused", "training.attention_kernel", "flash"},
        Line{"--attention-backend local", "training.attention_kernel", "unfused"},
        Line{"--attention-backend auto", "training.attention_kernel", "(none)"},
        Line{"--cross-entropy-loss-fusion", "training.cross_entropy", "fused_native"},
        Line{"--cross-entropy-fusion-impl te", "training.cross_entropy", "(none)"},
        Line{"--no-bias-gelu-fusion", "stack.fusion.bias_activation", "false"},
        Line{"--swiglu --no-bias-gelu-fusion", "stack.fusion.bias_activation", "(none)"},
        Line{"--swiglu --no-bias-swiglu-fusion", "stack.fusion.bias_activation", "false"},
        Line{"--fp8-format e4m3 --bf16", "training.precision", "fp8"},
        Line{"--fp8-hybrid --bf16", "training.precision", "fp8"}, Line{"", "training.precision", "fp32"},
        Line{"--grad-reduce-in-bf16", "training.gradient_dtype", "bf16"},
        Line{"--optimizer lamb", "training.optimizer", "lamb"},
        Line{"--optimizer muon", "training.optimizer", "(none)"},
        Line{"--cpu-optimizer", "training.offload", "optimizer"},
        Line{"--enable-zero-bubble --zero-bubble-max-pending-backward 4 --pipeline-model-parallel-size 4",
             "parallelism.schedule", "zero_bubble_1p"},
        Line{"--enable-zbh1-pipeline --deepspeed", "parallelism.schedule", "zero_bubble_h1"},
        Line{"", "stack.preset", "megatron-core-te"}, Line{"--DDP-impl local", "stack.preset", "megatron-lm-2021"},
        Line{"--model-parallel-size 2 --batch-size 8", "stack.preset", "megatron-lm-2019"},
        Line{"--deepspeed_config ds.json", "stack.preset", "megatron-deepspeed"},
        Line{"--spec local", "stack.preset", "megatron-core-local"},
        Line{"--overlap-grad-reduce --data-impl mmap", "stack.preset", "megatron-core-te"}));

TEST(Flags, UnknownOnesNameTheNearest) {
  const Reading reading = read("--num-layers 2 --hiden-size 64");
  EXPECT_EQ(reading.problem_text(), "");
  EXPECT_TRUE(reading.warns_of("unknown flag --hiden-size was passed over; the nearest known is --hidden-size"));
}

TEST(Flags, AbbreviationsAreAcceptedWithAWarning) {
  EXPECT_TRUE(read("--num-layers 2 --tensor-model-parallel 4").warns_of("is taken as --tensor-model-parallel-size"));
  // --recompute- begins several flags: no abbreviation of one.
  EXPECT_TRUE(read("--num-layers 2 --recompute- full").warns_of("unknown flag"));
}

TEST(Flags, UnmodelledOnesSayWhatIsPredictedInstead) {
  EXPECT_TRUE(read("--num-layers 2 --multi-latent-attention").warns_of("bears on performance and is not modelled"));
  EXPECT_FALSE(read("{\"num_layers\": 2, \"multi_latent_attention\": false}").warns_of("not modelled"));
  EXPECT_FALSE(read("--num-layers 2 --expert-model-parallel-size 1").warns_of("not modelled"));
}

TEST(Flags, HalfPrecisionLossIsWarnedOf) {
  EXPECT_TRUE(read("--num-layers 2 --fp16-lm-cross-entropy\n").warns_of("the loss is computed and kept in fp32"));
}

TEST(Flags, PassedOverOnesAreSilent) {
  const Reading reading =
      read("--num-layers 2 --lr 1e-4 --min-lr -1e-5 --wandb-project x --data-path 0.5 a 0.5 b --bf16");
  EXPECT_TRUE(reading.settings.warnings().empty());
  EXPECT_EQ(reading.value("training.precision"), "bf16");
}

TEST(Flags, TransformerEngineVariablesChooseTheAttentionKernel) {
  const std::string launch = "python pretrain_gpt.py --num-layers 2\n";
  const std::string key = "training.attention_kernel";
  EXPECT_EQ(read("export NVTE_FLASH_ATTN=1\n" + launch).value(key), "flash");
  EXPECT_EQ(read("export NVTE_FLASH_ATTN=0 NVTE_FUSED_ATTN=0\n" + launch).value(key), "unfused");
  EXPECT_EQ(read("export NVTE_FLASH_ATTN=0\n" + launch).value(key), "(none)");
}

TEST(Flags, MapsWriteSwitchesInSeveralWays) {
  const Reading reading = read(R"({"num-layers": 2, "fp16": 0, "bf16": "yes", "swiglu": "off"})");
  EXPECT_EQ(reading.problem_text(), "");
  EXPECT_EQ(reading.value("training.precision"), "bf16");
  EXPECT_NE(reading.value("model.activation"), "swiglu");
}

TEST(FlagTable, KnowsEachNameOnceAndFindsIt) {
  const auto& flags = megatron::known_flags();
  EXPECT_GT(flags.size(), 700U);
  for (const auto& flag : flags) {
    EXPECT_EQ(megatron::find_flag(flag.name), &flag);
    EXPECT_EQ(megatron::normalized_name(std::string(flag.name)), flag.name) << "not in the table's spelling";
  }
}

}  // namespace
}  // namespace shardsim::input
