#include "kernels/trainer/train_options.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "kernels/trainer/job.hpp"
#include "tests/support/files.hpp"

namespace shardsim::kernels {
namespace {

TrainOptions parse(const cli::Arguments& words) {
  Problems problems;
  TrainOptions options = parse_train_options(words, problems);
  problems.throw_if_any();
  return options;
}

/// What the user is told; "" when nothing is wrong.
std::string told(const cli::Arguments& words, std::int64_t ranks = 1) {
  try {
    Problems problems;
    TrainOptions options = parse_train_options(words, problems);
    (void)make_job(options, ranks, false, problems);
    return "";
  } catch (const InputError& error) {
    std::string text;
    for (const Problem& problem : error.problems()) text += to_string(problem) + "\n";
    return text;
  }
}

void expect_told(const cli::Arguments& words, const std::vector<std::string>& parts, std::int64_t ranks = 1) {
  const std::string text = told(words, ranks);
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

TEST(TrainOptions, ReadsMegatronsFlagsFromTheCommandLine) {
  const TrainOptions options =
      parse({"--model", "gpt2-tiny", "--train-iters", "7", "--lr=0.5", "--lr-decay-style", "cosine", "--record", "r",
             "--check-collectives", "--tensor-model-parallel-size", "2", "--sequence-parallel"});
  EXPECT_EQ(options.train_iters, 7);
  EXPECT_DOUBLE_EQ(options.learning_rate.maximum, 0.5);
  EXPECT_EQ(options.learning_rate.decay, LearningRateDecay::cosine);
  EXPECT_EQ(options.record, "r");
  EXPECT_TRUE(options.check_collectives);
  EXPECT_EQ(options.scenario.model, "gpt2-tiny");
}

TEST(TrainOptions, CommandLineWinsOverTheLaunchScript) {
  const std::string script = "/tmp/shardsim-train-options-" + std::to_string(getpid()) + ".sh";
  test::write_file(script,
                   "LR=1e-3\npython pretrain_gpt.py --lr $LR --train-iters 50 --clip-grad 0.25 --adam-beta2 .95\n");
  const TrainOptions options = parse({"--megatron", script, "--train-iters", "3"});
  unlink(script.c_str());
  EXPECT_DOUBLE_EQ(options.learning_rate.maximum, 1e-3);
  EXPECT_DOUBLE_EQ(options.adam.clip_grad, 0.25);
  EXPECT_DOUBLE_EQ(options.adam.beta2, 0.95);
  EXPECT_EQ(options.train_iters, 3);
}

TEST(TrainOptions, TellsOfEveryWrongValueAtOnce) {
  expect_told({"--model", "gpt2-tiny", "--lr", "fast", "--train-iters", "2.5", "--lr-decay-style", "steep",
               "--micro-batch-size", "0", "--timeout", "-1"},
              {"command line: --lr = fast: must be a number above 0",
               "--train-iters = 2.5: must be a whole number of at least 1",
               "--lr-decay-style = steep: must be constant, linear, cosine", "micro_batch_size",
               "--timeout = -1: must be a number above 0"});
}

TEST(TrainOptions, SuggestsTheOptionThatWasMeant) {
  expect_told({"--model", "gpt2-tiny", "--train-iter-count", "3"}, {"unknown option --train-iter-count"});
  expect_told({"--model", "gpt2-tiny", "--recrod", "x"}, {"unknown option --recrod (did you mean `--record`?)"});
  expect_told({"--model", "gpt2-tiny", "--stack", "nemo"}, {"training always runs the stack `shardsim`"});
}

TEST(TrainOptions, RefusesStandardInput) {
  expect_told({"--megatron", "-"}, {"standard input (-) reaches one rank only"});
}

TEST(Job, IsFilledByItsRanks) {
  expect_told({"--model", "gpt2-tiny", "--gpus", "4"},
              {"cluster.gpus", "4", "the job has 2 ranks", "start it with -n 4"}, 2);
  expect_told({"--model", "gpt2-tiny", "--tensor-model-parallel-size", "4"},
              {"cluster.gpus = 2: is no multiple of tp 4"}, 2);
  EXPECT_EQ(told({"--model", "gpt2-tiny", "--tensor-model-parallel-size", "2"}, 2), "");
}

TEST(Job, RefusesWhatItCannotTrain) {
  expect_told({"--model", "llama2-7b"}, {"model.family = llama: the trainer knows gpt and bert", "model.activation"});
  expect_told({"--model", "gpt2-tiny", "--recompute-granularity", "selective", "--recompute-modules", "mlp",
               "--cross-entropy-loss-fusion"},
              {"(training.recompute.modules): the trainer knows core_attn alone",
               "(training.cross_entropy) = fused_native: the trainer knows in_place"});
  expect_told({"--model", "gpt2-tiny", "--set", "training.optimizer=sgd"},
              {"(training.optimizer) = sgd: the trainer knows adam"});
  expect_told({"--model", "gpt2-tiny", "--min-lr", "1"}, {"--min-lr = 1.000000: must not exceed --lr"});
}

TEST(Job, TrainsInFp32OnACpu) {
  Problems problems;
  TrainOptions options = parse({"--model", "gpt2-tiny", "--bf16"});
  const Job job = make_job(options, 1, false, problems);
  EXPECT_EQ(job.scenario.training.precision, model::DType::fp32);
  bool warned = false;
  for (const std::string& warning : job.scenario.warnings) warned = warned || warning.find("fp32") != std::string::npos;
  EXPECT_TRUE(warned);
}

TEST(Job, DerivesFromItsOwnSizesWhatAPresetDerivedFromOthers) {
  const auto model = [](const cli::Arguments& words) {
    Problems problems;
    TrainOptions options = parse(words);
    return make_job(options, 1, false, problems).scenario.model;
  };
  // gpt2-tiny: hidden 128, 4 heads of 32, ffn 512.
  const model::Model heads = model({"--model", "gpt2-tiny", "--num-attention-heads", "8"});
  EXPECT_EQ(heads.num_query_groups, 8);
  EXPECT_EQ(heads.kv_channels, 16);
  EXPECT_EQ(heads.ffn_hidden_size, 512);
  const model::Model hidden = model({"--model", "gpt2-tiny", "--hidden-size", "64"});
  EXPECT_EQ(hidden.kv_channels, 16);
  EXPECT_EQ(hidden.ffn_hidden_size, 256);
  const model::Model given = model({"--model", "gpt2-tiny", "--num-attention-heads", "8", "--kv-channels", "24"});
  EXPECT_EQ(given.kv_channels, 24);
}

TEST(Job, TellsWhenTheMachineIsTooSmall) {
  Problems problems;
  TrainOptions options = parse({"--model", "gpt2-124m"});
  const Job job = make_job(options, 1, false, problems);
  // 124 M parameters of 16 bytes are 1.9 GiB already.
  EXPECT_NE(does_not_fit(job, 1, Bytes{std::int64_t{1} << 30}).find("DOES NOT FIT"), std::string::npos);
  EXPECT_EQ(does_not_fit(job, 1, Bytes{std::int64_t{1} << 40}), "");
}

}  // namespace
}  // namespace shardsim::kernels
