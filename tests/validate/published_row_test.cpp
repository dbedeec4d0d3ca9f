// Rows of published_runs.jsonl and published_runs_oom.jsonl: what they set, and what stands for their nulls.
#include <gtest/gtest.h>

#include "tests/validate/rows.hpp"
#include "validate/evaluate.hpp"
#include "validate/framework_rules.hpp"

namespace shardsim::validate {
namespace {

TEST(PublishedRow, SetsWhatItSays) {
  const Record record = read(gpt_row());
  EXPECT_EQ(record.id, "r1");
  EXPECT_EQ(record.source, "paper");
  EXPECT_EQ(record.where, "table 1");
  EXPECT_EQ(record.quality, "A");
  EXPECT_EQ(record.suspect, "");
  EXPECT_EQ(record.unmodelled, "");
  EXPECT_EQ(value_of(record, "model.family"), "gpt");
  EXPECT_EQ(value_of(record, "model.num_layers"), "24");
  EXPECT_EQ(value_of(record, "model.hidden_size"), "2304");
  EXPECT_EQ(value_of(record, "model.ffn_hidden_size"), "9216");
  EXPECT_EQ(value_of(record, "model.vocab_size"), "51200");
  EXPECT_EQ(value_of(record, "cluster.preset"), "a100-dgx");
  EXPECT_EQ(value_of(record, "cluster.gpus"), "16");
  EXPECT_EQ(value_of(record, "device.preset"), "a100-80gb");
  EXPECT_EQ(value_of(record, "parallelism.tensor_model_parallel_size"), "2");
  EXPECT_EQ(value_of(record, "parallelism.pipeline_model_parallel_size"), "4");
  EXPECT_EQ(value_of(record, "parallelism.data_parallel_size"), "2");
  EXPECT_EQ(value_of(record, "parallelism.schedule"), "one_f_one_b");
  EXPECT_EQ(value_of(record, "training.recompute.granularity"), "full");
  EXPECT_EQ(value_of(record, "training.micro_batch_size"), "4");
  EXPECT_EQ(value_of(record, "training.global_batch_size"), "64");
  EXPECT_EQ(value_of(record, "training.precision"), "fp16");
  EXPECT_EQ(record.settings.find("model.num_layers")->origin.file, "rows.jsonl");
  EXPECT_EQ(record.settings.find("model.num_layers")->origin.line, 7);
}

TEST(PublishedRow, KnowsWhatWasMeasured) {
  const Record record = read(gpt_row());
  EXPECT_EQ(record.iteration, Seconds{2.5});
  EXPECT_EQ(record.memory, Bytes{20'000'000'000});
  EXPECT_EQ(record.memory_kind, MemoryKind::allocated_worst);
  EXPECT_EQ(record.outcome, Outcome::fits);
}

// The functional tests' times move by −85 to +89 % from one refresh to the next; their memory does not.
TEST(PublishedRow, TimesOfFunctionalTestsAreNotScored) {
  const Record record = read(with(gpt_row(), "/source", "Megatron-LM CI functional-test golden values"));
  EXPECT_FALSE(record.iteration);
  EXPECT_EQ(record.memory, Bytes{20'000'000'000});
}

TEST(PublishedRow, MissingKeysAndNullsAreTheSame) {
  Json row = gpt_row();
  row["parallel"].erase("cp");
  row.erase("suspect");
  const Record missing = read(row);
  const Record null = read(gpt_row());
  EXPECT_EQ(value_of(missing, "parallelism.context_parallel_size"), "");
  EXPECT_EQ(missing.settings.all().size(), null.settings.all().size());
  row.erase("measured");
  EXPECT_FALSE(read(row).iteration);
}

TEST(PublishedRow, WholeNumbersMayBeWrittenWithAPoint) {
  EXPECT_EQ(value_of(read(with(gpt_row(), "/model/layers", 24.0)), "model.num_layers"), "24");
  EXPECT_EQ(value_of(read(with(gpt_row(), "/model/layers", 24.5)), "model.num_layers"), "");
  EXPECT_EQ(value_of(read(with(gpt_row(), "/model/layers", "24")), "model.num_layers"), "");
}

TEST(PublishedRow, MemoryKinds) {
  const auto kind = [](const char* written) {
    return read(with(gpt_row(), "/measured/memory_kind", written)).memory_kind;
  };
  EXPECT_EQ(kind("torch_peak_allocated_last_rank"), MemoryKind::allocated_last);
  EXPECT_EQ(kind("torch_peak_reserved"), MemoryKind::reserved);
  EXPECT_EQ(kind("nvidia_smi_whole_gb"), MemoryKind::device);
  EXPECT_EQ(kind("torch_peak_allocated"), MemoryKind::allocated_worst);
}

TEST(PublishedRow, Outcomes) {
  EXPECT_EQ(read(with(gpt_row(), "/outcome", "oom")).outcome, Outcome::out_of_memory);
  EXPECT_EQ(read(with(gpt_row(), "/outcome", "fits")).outcome, Outcome::fits);
  EXPECT_EQ(read(with(gpt_row(), "/outcome", "crashed")).unmodelled, "outcome: crashed");
}

TEST(PublishedRow, FlopRatesStandForATime) {
  Json row = gpt_row();
  row["measured"] = {{"tflops_per_gpu", 140.0}, {"flops_convention", "hardware FLOPs including recompute"}};
  EXPECT_EQ(read(row).hardware_tflops_per_gpu, 140.0);
  row["measured"]["flops_convention"] = "model TFLOPS / GPU";
  EXPECT_EQ(read(row).model_tflops_per_gpu, 140.0);
  row["measured"] = {{"mfu", 0.5}};
  EXPECT_EQ(read(row).mfu, 0.5);
}

/// All three name the same time: FLOPs / (rate x GPUs); utilisation is on 312 TFLOP/s of the A100.
TEST(PublishedRow, RatesAndUtilisationGiveTheSameTime) {
  Json row = gpt_row();
  row["parallel"]["recompute"] = "none";
  row["measured"] = {{"tflops_per_gpu", 156.0}, {"flops_convention", "model"}};
  const Result from_rate = evaluate(read(row));
  row["measured"] = {{"mfu", 0.5}};
  const Result from_mfu = evaluate(read(row));
  ASSERT_TRUE(from_rate.time && from_mfu.time) << from_rate.skipped << from_mfu.skipped;
  EXPECT_NEAR(from_mfu.time->measured / from_rate.time->measured, 1.0, 1e-9);
}

TEST(PublishedRow, OneLayerIsALayerAlone) {
  EXPECT_EQ(read(with(gpt_row(), "/model/layers", 1)).extent, Extent::one_layer);
  EXPECT_EQ(read(gpt_row()).extent, Extent::iteration);
}

TEST(PublishedRow, NamesWhatCannotBeModelled) {
  EXPECT_EQ(read(with(gpt_row(), "/framework", "Colossal-AI")).unmodelled, "framework Colossal-AI");
  EXPECT_EQ(read(with(gpt_row(), "/parallel/ep", 8)).unmodelled, "expert parallelism");
  Json row = with(gpt_row(), "/hardware/cluster", nullptr);
  EXPECT_EQ(read(with(row, "/hardware/device", "tpu-v4")).unmodelled, "device tpu-v4");
}

TEST(PublishedRow, SequenceParallelismNeedsTensorParallelism) {
  const Json row = with(gpt_row(), "/parallel/sp", true);
  EXPECT_EQ(value_of(read(row), "parallelism.sequence_parallel"), "true");
  EXPECT_EQ(value_of(read(with(row, "/parallel/tp", 1)), "parallelism.sequence_parallel"), "false");
}

TEST(NullRules, ClusterIsTheUsualNodeOfTheDevice) {
  Json row = with(gpt_row(), "/hardware/cluster", nullptr);
  row["hardware"]["device"] = "h100-80gb";
  const Record record = read(row);
  EXPECT_EQ(value_of(record, "cluster.preset"), "h100-dgx");
  EXPECT_TRUE(is_assumed(record, "cluster.preset"));
}

TEST(NullRules, RecomputationIsNone) {
  const Record record = read(with(gpt_row(), "/parallel/recompute", nullptr));
  EXPECT_EQ(value_of(record, "training.recompute.granularity"), "none");
  EXPECT_TRUE(is_assumed(record, "training.recompute.granularity"));
}

TEST(NullRules, MicroBatchIsTheReplicasShareBefore2021AndOneLater) {
  Json row = with(gpt_row(), "/batch/micro", nullptr);
  EXPECT_EQ(value_of(read(row), "training.micro_batch_size"), "1");
  row["year"] = 2019;
  // 64 sequences on 2 replicas without accumulation.
  EXPECT_EQ(value_of(read(row), "training.micro_batch_size"), "32");
  EXPECT_TRUE(is_assumed(read(row), "training.micro_batch_size"));
}

TEST(NullRules, OpenPrecisionIsFp16) {
  const Record record = read(with(gpt_row(), "/precision_class", "fp16_or_bf16"));
  EXPECT_EQ(value_of(record, "training.precision"), "fp16");
  EXPECT_TRUE(is_assumed(record, "training.precision"));
}

TEST(NullRules, NeverLookAtWhatWasMeasured) {
  Json row = gpt_row();
  row["parallel"] = {{"tp", 2}, {"pp", 4}};
  row["batch"] = {{"global", 64}};
  row["hardware"].erase("cluster");
  const Record fast = read(with(row, "/measured/iteration_s", 0.001));
  const Record slow = read(with(with(row, "/measured/iteration_s", 1000.0), "/measured/memory_gb", 79.0));
  ASSERT_EQ(fast.settings.all().size(), slow.settings.all().size());
  for (const input::Setting& setting : fast.settings.all()) EXPECT_EQ(value_of(slow, setting.key), setting.value);
}

TEST(FrameworkRules, StackByNameAndYear) {
  EXPECT_EQ(stack_of("Megatron-LM", 2019), "megatron-lm-2019");
  EXPECT_EQ(stack_of("Megatron-LM", 2021), "megatron-lm-2021");
  EXPECT_EQ(stack_of("Megatron-LM", 2024), "megatron-core-te");
  EXPECT_EQ(stack_of("Megatron-DeepSpeed", 2024), "megatron-deepspeed");
  EXPECT_EQ(stack_of("zero-bubble (Megatron-LM fork)", 2023), "megatron-zero-bubble");
  EXPECT_EQ(stack_of("nanotron", 2024), "nanotron");
  EXPECT_EQ(stack_of("AA-Scaling (PyTorch, Megatron-style TP + 1F1B pipeline)", 2023), "aleph-alpha-scaling");
  EXPECT_EQ(stack_of("torchtitan (FSDP2)", 2024), "torchtitan");
  EXPECT_EQ(stack_of("llm-foundry (FSDP)", 2023), "pytorch-fsdp");
  EXPECT_EQ(stack_of("JAX", 2023), "");
}

TEST(FrameworkRules, ZeroStageGoesBeforeDistributedOptimizer) {
  Json row = with(gpt_row(), "/parallel/distributed_optimizer", true);
  EXPECT_EQ(value_of(read(row), "parallelism.use_distributed_optimizer"), "true");
  row["parallel"]["zero_stage"] = 1;
  EXPECT_EQ(value_of(read(row), "parallelism.zero_stage"), "1");
  EXPECT_EQ(value_of(read(row), "parallelism.use_distributed_optimizer"), "");
}

TEST(FrameworkRules, AttentionKernels) {
  const auto kernel = [](const Json& row) { return value_of(read(row), "training.attention_kernel"); };
  EXPECT_EQ(kernel(gpt_row()), "");
  EXPECT_EQ(kernel(with(gpt_row(), "/parallel/flash_attention", true)), "flash");
  EXPECT_EQ(kernel(with(gpt_row(), "/parallel/flash_attention", false)), "unfused");
  EXPECT_EQ(kernel(with(gpt_row(), "/parallel/attention_kernel", "flash_attention2 + RMS kernel")), "flash");
  const Record torch = read(with(gpt_row(), "/parallel/attention_kernel", "torch"));
  EXPECT_EQ(value_of(torch, "training.attention_kernel"), "unfused");
  EXPECT_EQ(value_of(torch, "stack.fusion.masked_softmax"), "false");
}

TEST(FrameworkRules, TorchtitanRecomputesOperators) {
  const Json row = with(gpt_row(), "/parallel/recompute", "selective");
  EXPECT_EQ(value_of(read(row), "training.recompute.granularity"), "selective");
  EXPECT_EQ(value_of(read(with(row, "/framework", "torchtitan")), "training.recompute.granularity"), "operators");
}

TEST(FrameworkRules, Schedules) {
  const auto schedule = [](const char* name) {
    return value_of(read(with(gpt_row(), "/parallel/schedule", name)), "parallelism.schedule");
  };
  EXPECT_EQ(schedule("1F1B-I"), "interleaved_one_f_one_b");
  EXPECT_EQ(schedule("ZB-1p"), "zero_bubble_1p");
  EXPECT_EQ(schedule("ZB-2p"), "zero_bubble_2p");
}

TEST(FrameworkRules, Offload) {
  EXPECT_EQ(value_of(read(with(gpt_row(), "/parallel/offload", Json::array({"optimizer"}))), "training.offload"),
            "optimizer");
  EXPECT_EQ(value_of(read(with(gpt_row(), "/parallel/offload", Json::array({"optimizer", "parameters"}))),
                     "training.offload"),
            "optimizer_and_parameters");
}

}  // namespace
}  // namespace shardsim::validate
