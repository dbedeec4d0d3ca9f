#include "validate/log/training_log.hpp"

#include <gtest/gtest.h>

namespace shardsim::validate::log {
namespace {

TEST(TrainingLog, MegatronLine) {
  const TrainingLog log = read_training_log(
      " [2024-08-21 10:19:42] iteration        4/   25000 | consumed samples:         4096 | elapsed time per "
      "iteration "
      "(ms): 27012.4 | throughput per GPU (TFLOP/s/GPU): 449.6 | learning rate: 7.500000E-08 | global batch size:  "
      "1024 "
      "| lm loss: 2.120380E+00 | number of skipped iterations:   0 |\n",
      "train.log");
  EXPECT_EQ(log.framework, "Megatron-LM");
  ASSERT_EQ(log.iterations.size(), 1u);
  EXPECT_EQ(log.iterations[0].number, 4);
  EXPECT_DOUBLE_EQ(*log.iterations[0].seconds, 27.0124);
  EXPECT_DOUBLE_EQ(*log.iterations[0].tflops_per_gpu, 449.6);
  EXPECT_EQ(*log.iterations[0].global_batch_size, 1024);
}

TEST(TrainingLog, MegatronMemoryOfTwoRanksOnOneLine) {
  const TrainingLog log = read_training_log(
      " iteration 1/ 5 | elapsed time per iteration (ms): 10.0 |\n"
      "[Rank 2] (after 1 iterations) memory (MB) | allocated: 9334.4 | max allocated: 12680.0 | reserved: 13236.0 | "
      "max "
      "reserved: 13236.0[Rank 6] (after 1 iterations) memory (MB) | allocated: 10850.7 | max allocated: 10850.5 | "
      "reserved: 11000.0 | max reserved: 11000.0\n",
      "train.log");
  ASSERT_EQ(log.memory.size(), 2u);
  EXPECT_EQ(log.memory[0].rank, 2);
  EXPECT_EQ(log.memory[0].allocated->value(), 12680LL << 20);
  EXPECT_EQ(log.memory[1].rank, 6);
  EXPECT_EQ(log.memory[1].reserved->value(), 11000LL << 20);
}

TEST(TrainingLog, MegatronDeepSpeedLineAndMemory) {
  const TrainingLog log = read_training_log(
      "511:  iteration    13910/  953674 | consumed samples:     14243840 | consumed tokens:  29171384320 | elapsed "
      "time "
      "per iteration (s): 11.18 | learning rate: 1.000E-04 | global batch size:  1024 | lm loss: 2.152785E+00 | number "
      "of nan iterations:   0 | samples per second: 91.621 | TFLOPs: 40.83 |\n"
      "[INFO] [timer.py:260:stop] epoch=0/micro_step=199/global_step=199, MemAllocated=6.01GB, "
      "MaxMemAllocated=19.52GB\n",
      "train.log");
  EXPECT_EQ(log.framework, "Megatron-DeepSpeed");
  EXPECT_DOUBLE_EQ(*log.iterations[0].seconds, 11.18);
  EXPECT_DOUBLE_EQ(*log.iterations[0].tflops_per_gpu, 40.83);
  EXPECT_EQ(log.settings.find("stack.preset")->value, "megatron-deepspeed");
  EXPECT_NEAR(log.memory[0].allocated->as_double(), 19.52 * 0x1p30, 1.0);
}

TEST(TrainingLog, NemoLinesAndProgressBars) {
  const TrainingLog log = read_training_log(
      "Training epoch 0, iteration 1/249 | lr: 3.922e-06 | global_batch_size: 8 | global_step: 1 | reduced_train_loss: "
      "1.653 | train_step_timing in s: 2.505 | consumed_samples: 16\n",
      "train.log");
  EXPECT_EQ(log.framework, "NeMo");
  EXPECT_DOUBLE_EQ(*log.iterations[0].seconds, 2.505);
  EXPECT_EQ(*log.iterations[0].global_batch_size, 8);
  const TrainingLog bar = read_training_log(
      "Epoch 0: 1%| | 1/100 [00:10<10:48, global_step=1.000, train_step_timing in s=9.130]\rEpoch 0: 2%| | 2/100 "
      "[00:13<10:48, global_step=2.000, train_step_timing in s=3.130]\r",
      "train.log");
  ASSERT_EQ(bar.iterations.size(), 2u);
  EXPECT_EQ(bar.iterations[1].number, 2);
  EXPECT_DOUBLE_EQ(*bar.iterations[1].seconds, 3.13);
  EXPECT_EQ(bar.iterations[1].line, 1);
}

TEST(TrainingLog, NanotronLineMemoryAndConfiguration) {
  const TrainingLog log = read_training_log(
      "[default0]:07/02/2024 12:59:41 [INFO|DP=0|PP=0|TP=0|ip-26]:        parallelism=ParallelismArgs(dp=4,\n"
      "                                         pp=2,\n                                         tp=8,\n"
      "   micro_batch_size=2,\n   sequence_length=4096,\n   hidden_size=2048,\n   num_hidden_layers=24,\n"
      "   tie_word_embeddings=True,\n"
      "[default0]:07/02/2024 12:59:41 [INFO|DP=0|PP=1|TP=0|ip-26]:  Memory usage: 64.15MiB. Peak allocated 309.25MiB. "
      "Peak reserved: 496.00MiB\n"
      "[default0]:07/02/2024 12:59:41 [INFO|DP=0|PP=1|TP=0|ip-26]: iteration: 1 / 20 | consumed_tokens: 4.19M | "
      "elapsed_time_per_iteration_ms: 23.9K | tokens_per_sec: 175K | tokens_per_sec_per_gpu: 2.74K | "
      "global_batch_size: 1.02K | lm_loss: 11.1 | lr: 5e-05 | model_tflops_per_gpu: 24.8 | hardware_tflops_per_gpu: "
      "24.8 | grad_norm: 20.9\n",
      "train.log");
  EXPECT_EQ(log.framework, "nanotron");
  EXPECT_DOUBLE_EQ(*log.iterations[0].seconds, 23.9);
  EXPECT_FALSE(log.iterations[0].global_batch_size);
  EXPECT_EQ(log.memory[0].stage, 1);
  EXPECT_EQ(log.memory[0].reserved->value(), 496LL << 20);
  const auto value = [&](const char* key) { return log.settings.find(key)->value; };
  EXPECT_EQ(value("parallelism.data_parallel_size"), "4");
  EXPECT_EQ(value("parallelism.tensor_model_parallel_size"), "8");
  EXPECT_EQ(value("model.num_layers"), "24");
  EXPECT_EQ(value("model.hidden_size"), "2048");
  EXPECT_EQ(value("model.output_weights"), "tied");
}

TEST(TrainingLog, TorchtitanLinesWithColours) {
  const TrainingLog log = read_training_log(
      "[rank0]:[titan] 2025-06-04 08:51:40,000 - root - INFO - CUDA capacity: NVIDIA H100 with 94.99GiB memory\r\n"
      "[rank0]:[titan] 2025-06-04 08:51:41,000 - root - INFO - Building device mesh with parallelism: pp=2, "
      "dp_replicate=2, dp_shard=4, cp=1, tp=8, ep=1\r\n"
      "[rank0]:[titan] 2025-06-04 08:51:48,000 - root - INFO - Training starts at step 1, with local batch size 1, "
      "global batch size 8, sequence length 8192, total steps 100 (warmup 200)\r\n"
      "[rank0]:[titan] 2025-06-04 08:51:58,557 - root - INFO - \x1b[31mstep: 10  \x1b[32mloss: 10.7069  "
      "\x1b[38;5;180mgrad_norm:  1.2  \x1b[36mmemory: 30.99GiB(32.62%)  \x1b[34mtps: 7,034  \x1b[36mtflops: 407.35  "
      "\x1b[35mmfu: 41.19%\x1b[39m\r\n",
      "train.log");
  EXPECT_EQ(log.framework, "torchtitan");
  EXPECT_EQ(log.iterations[0].number, 10);
  EXPECT_EQ(log.iterations[0].line, 4);
  EXPECT_DOUBLE_EQ(*log.iterations[0].tokens_per_s_per_gpu, 7034.0);
  EXPECT_DOUBLE_EQ(*log.iterations[0].tflops_per_gpu, 407.35);
  EXPECT_NEAR(log.memory[0].reserved->as_double(), 30.99 * 0x1p30, 1.0);
  EXPECT_NEAR(log.device_capacity->as_double(), 94.99 * 0x1p30, 1.0);
  const auto value = [&](const char* key) { return log.settings.find(key)->value; };
  EXPECT_EQ(value("parallelism.pipeline_model_parallel_size"), "2");
  EXPECT_EQ(value("parallelism.tensor_model_parallel_size"), "8");
  EXPECT_EQ(value("parallelism.data_parallel_size"), "8");
  EXPECT_EQ(value("training.micro_batch_size"), "1");
  EXPECT_EQ(value("model.seq_length"), "8192");
}

TEST(TrainingLog, TheLastArgumentsDumpCounts) {
  const auto dump = [](const char* micro) {
    return std::string("0: ------------------------ arguments ------------------------\n") +
           "0:   hidden_size ..................................... 5120\n"
           "0:   micro_batch_size ................................ " +
           micro +
           "\n0:   num_attention_heads ............................. 40\n"
           "0:   num_layers ...................................... 48\n"
           "0: -------------------- end of arguments ---------------------\n"
           "0:  iteration 1/ 5 | elapsed time per iteration (ms): 10.0 |\n";
  };
  const TrainingLog log = read_training_log(dump("1") + dump("4"), "train.log");
  const input::Setting* micro = log.settings.find("training.micro_batch_size");
  ASSERT_NE(micro, nullptr);
  EXPECT_EQ(micro->value, "4");
  EXPECT_EQ(micro->origin.line, 10);
  EXPECT_EQ(log.settings.find("model.hidden_size")->value, "5120");
}

std::string refusal(const std::string& text) {
  try {
    (void)read_training_log(text, "x.log");
  } catch (const InputError& error) {
    return to_string(error.problems().front());
  }
  return "";
}

TEST(TrainingLog, ForeignLogsAndImpossibleNumbersAreRefused) {
  EXPECT_NE(
      refusal("make: *** [all] Error 2\n").find("x.log: holds no iteration line of Megatron-DeepSpeed, Megatron-LM"),
      std::string::npos);
  EXPECT_NE(refusal("make: *** [all] Error 2\n").find("it starts with \"make: ***"), std::string::npos);
  const std::string bad = "\n iteration 3/ 5 | elapsed time per iteration (ms): ";
  EXPECT_EQ(refusal(bad + "-3.0 |"), "x.log:2: this time per iteration cannot be");
  EXPECT_EQ(refusal(bad + "nan |"), "x.log:2: this time per iteration cannot be");
  EXPECT_EQ(refusal(bad + "1e300 |"), "x.log:2: this time per iteration cannot be");
  EXPECT_EQ(refusal(bad + "5.0 | global batch size: 0 |"), "x.log:2: this global batch size cannot be");
}

TEST(TrainingLog, ImpossibleNumbersBesideGoodOnesAreKeptApart) {
  const std::string good = " iteration 3/ 5 | elapsed time per iteration (ms): 4.0 |\n";
  const TrainingLog log =
      read_training_log(good + " iteration 4/ 5 | elapsed time per iteration (ms): 0.0 |\n", "x.log");
  EXPECT_EQ(log.iterations.size(), 1u);
  EXPECT_EQ(log.impossible.size(), 1u);
}

}  // namespace
}  // namespace shardsim::validate::log
