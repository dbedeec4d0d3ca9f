// `shardsim validate --log` as a user calls it, on constructed logs (tests/validate/logs/README.md).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace shardsim::validate::log {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using test::Outcome;

const std::string kLogs = "tests/validate/logs/";

Outcome validate(const std::string& arguments, const std::string& input = "") {
  return test::run_shardsim("validate --log " + arguments, input);
}

Json json_of(const std::string& arguments, const std::string& input = "") {
  const Outcome outcome = validate(arguments + " --format json", input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << outcome.out;
  return json;
}

void expect_refused(const std::string& arguments, const std::string& message, const std::string& input = "") {
  const Outcome outcome = validate(arguments, input);
  EXPECT_EQ(outcome.code, 2) << arguments << '\n' << outcome.out;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err << "does not hold " << message;
}

std::string gpt() { return kLogs + "megatron-gpt-3.6b.log --cluster a100-dgx --stack megatron-lm-2021"; }

/// One log of every program: the measured time is that of the published row, the prediction is near it.
struct Case {
  const char* arguments;
  const char* framework;
  double seconds;
  /// How far the prediction of this row is off, at most.
  double error;
};

TEST(LogCommand, LogsOfEveryProgramGiveTheTimeOfTheirRow) {
  for (const Case& one :
       {Case{"megatron-gpt-3.6b.log --cluster a100-dgx --stack megatron-lm-2021", "Megatron-LM", 3.697, 0.1},
        Case{"megatron-deepspeed-gpt-345m.log --cluster a100-hdr4", "Megatron-DeepSpeed", 0.37216, 0.25},
        Case{"nemo-gpt-5b.log", "NeMo", 2.91, 0.15},
        Case{"nanotron-1b.log --cluster h100-efa --set training.recompute.granularity=none", "nanotron", 3.26456, 0.15},
        Case{"torchtitan-8b.log --model llama3-8b --cluster h100-96gb-rdma400", "torchtitan", 2.4575, 0.2}}) {
    const Json log = json_of(kLogs + one.arguments)["logs"][0];
    EXPECT_EQ(log["framework"], one.framework);
    EXPECT_NEAR(log["time"]["measured_s"], one.seconds, 0.01 * one.seconds) << one.framework;
    EXPECT_LT(std::abs(log["time"]["error"].get<double>()), one.error) << one.framework;
    EXPECT_GE(log["iterations"]["used"], 6) << one.framework;
    EXPECT_FALSE(log["suspects"].empty()) << one.framework;
  }
}

TEST(LogCommand, WhatIsLeftOutIsCounted) {
  const Json left_out = json_of(gpt())["logs"][0]["iterations"]["left_out"];
  // 11 lines before the restart; its first iteration; the one behind the evaluation.
  EXPECT_EQ(left_out, Json::parse(R"([{"reason": "before a restart", "count": 11}, {"reason": "warm-up", "count": 1},
                                      {"reason": "beside an evaluation", "count": 1}])"));
}

TEST(LogCommand, RatesAreInTheConventionOfTheLog) {
  // SC21 counts the recomputed forward pass (96 B s l h² (1 + s/6h + V/16lh)); torchtitan neither it nor half a mask.
  const Json gpt_rate = json_of(gpt())["logs"][0]["tflops"];
  EXPECT_EQ(gpt_rate["convention"], "with recomputation");
  EXPECT_NEAR(gpt_rate["work"], 1.0, 0.02);
  const Json titan = json_of(kLogs + "torchtitan-8b.log --model llama3-8b --cluster h100-96gb-rdma400")["logs"][0];
  EXPECT_EQ(titan["tflops"]["convention"], "without recomputation, full attention");
  EXPECT_NEAR(titan["tflops"]["work"], 1.0, 0.05);
}

TEST(LogCommand, MemoryIsComparedInKind) {
  const Json memory = json_of(kLogs + "nanotron-1b.log --cluster h100-efa")["logs"][0]["memory"];
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory[0]["kind"], "allocated");
  EXPECT_NEAR(memory[0]["measured_bytes"], 53.9e9, 1e8);
  EXPECT_EQ(memory[1]["kind"], "reserved");
}

TEST(LogCommand, ASlowClockIsTheLeastSurprisingWhereMatricesDominate) {
  // The 3.6 B job of SC21 runs at 44 % of the peak: 10 % off is a clock, not a host.
  std::string text = test::read_source(kLogs + "megatron-gpt-3.6b.log");
  const Outcome outcome = validate("- --cluster a100-dgx --stack megatron-lm-2021", text);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"standard input: log of Megatron-LM, 64 x a100-80gb", "\nIteration ", "\nTFLOP/s ",
                           "\nAllocated ", "\nSuspects ", "\nTo tell "}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << outcome.out;
  }
}

TEST(LogCommand, OutOfMemoryIsExplained) {
  const Json log = json_of(kLogs + "out-of-memory.txt --cluster a100-dgx")["logs"][0];
  const Json& message = log["out_of_memory"];
  // 16 sequences of 2,048 tokens, half of 51,200 words, 4 bytes: 3.125 GiB, printed as 3.12.
  EXPECT_EQ(message["matches"][0]["name"], "logits in fp32 (cross entropy)");
  EXPECT_EQ(message["matches"][0]["bytes"], 16LL * 2048 * 25600 * 4);
  EXPECT_TRUE(message["exact"]);
  EXPECT_FALSE(message["fragmented"]);
  // 79.15 − 1.87 − (72.81 + 1.90) = 2.57 GiB.
  EXPECT_NEAR(message["outside_bytes"].get<double>() / 0x1p30, 2.57, 0.01);
  ASSERT_FALSE(message["changes_that_fit"].empty());
  EXPECT_FALSE(log.contains("time"));
}

TEST(LogCommand, FragmentationAndTheLastStrawAreNamed) {
  const std::string start = "CUDA out of memory. Tried to allocate ";
  const std::string end =
      " (GPU 0; 79.15 GiB total capacity; 60.00 GiB already allocated; 1.00 GiB free; 75.00 GiB "
      "reserved in total by PyTorch)";
  const std::string options = "- --megatron " + kLogs + "out-of-memory.sh --cluster a100-dgx";
  EXPECT_NE(validate(options, start + "3.12 GiB" + end).out.find("expandable_segments:True may suffice"),
            std::string::npos);
  EXPECT_NE(validate(options, start + "20.00 MiB" + end).out.find("the last straw says nothing"), std::string::npos);
  EXPECT_NE(validate(options, start + "41.37 GiB" + end).out.find("no tensor of this configuration"),
            std::string::npos);
}

TEST(LogCommand, BadInput) {
  const test::TemporaryFolder folder;
  const auto file = [&](const std::string& text) { return folder.file("x.log", text); };
  expect_refused(folder.path() / "missing.log", "missing.log: cannot be read");
  expect_refused(file(""), "x.log: is empty");
  expect_refused(file(std::string("a\0b", 3)), "x.log: is a binary file");
  expect_refused(file("Epoch 1/10, loss 0.3\n"), "x.log: holds no iteration line of");
  expect_refused(file("\n iteration 1/ 2 | elapsed time per iteration (ms): nan |\n"),
                 "x.log:2: this time per iteration cannot be");
  // Nothing says what was trained.
  expect_refused(file(" iteration 1/ 2 | elapsed time per iteration (ms): 5.0 |\n"), "model.num_layers");
  expect_refused(gpt() + " --log=", "--log needs a value");
  expect_refused(gpt() + " --qualty A", "unknown option");
  expect_refused(gpt() + " --quality A", "--quality belongs to files of measured runs");
  expect_refused(gpt() + " --format csv", "the formats are table, json");
  expect_refused(gpt() + " --engine event", "logs are compared with the closed form");
  expect_refused("- --megatron -", "standard input (-) can be only one of the inputs", "x");
  const Outcome alone = test::run_shardsim("validate --fit x.toml");
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.err.find("--fit needs logs"), std::string::npos);
}

TEST(LogCommand, AScriptOfAnotherRunIsRefused) {
  const test::TemporaryFolder folder;
  const std::string script = folder.file(
      "other.sh",
      "python pretrain_gpt.py --num-layers 24 --hidden-size 3072 --num-attention-heads 32 --seq-length 2048 "
      "--micro-batch-size 16 --global-batch-size 256 --tensor-model-parallel-size 2");
  expect_refused(gpt() + " --megatron " + script, "other.sh:1: model.num_layers = 24: the log says 30 (" + kLogs);
  expect_refused(gpt() + " --megatron " + script, "training.global_batch_size = 256: the log's iterations say 512");
  // The command line knows better.
  EXPECT_EQ(validate(gpt() + " --set training.micro_batch_size=8").code, 0);
  // Four times the GPUs would have done four times the work.
  const std::string nemo = folder.file("nemo.log", test::read_source(kLogs + "nemo-gpt-5b.log"));
  folder.file("nemo.toml", test::read_source(kLogs + "nemo-gpt-5b.toml"));
  EXPECT_EQ(validate(nemo).code, 0);
  expect_refused(nemo + " --set parallelism.data_parallel_size=256 --gpus 256",
                 "the model, the batch or the number of GPUs is another one");
}

TEST(LogCommand, AMemoryLineOfARankThatCannotBe) {
  std::string text = test::read_source(kLogs + "megatron-gpt-3.6b.log");
  const std::size_t at = text.find("[Rank 1]");
  text.replace(at, 8, "[Rank 512]");
  text.replace(text.find("max allocated: 5"), 16, "max allocated: 6");
  expect_refused("- --cluster a100-dgx --stack megatron-lm-2021",
                 "rank 512 prints its memory, but the configuration has 64", text);
}

/// Logs of ten jobs of one cluster that is 20 % slower than its profile.
std::string many_logs(const test::TemporaryFolder& folder) {
  for (int i = 0; i < 10; ++i) {
    const std::string name = "run" + std::to_string(i);
    const std::string script =
        "python pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 "
        "--seq-length 2048 --vocab-size 50257 --bf16 --micro-batch-size " +
        std::to_string(1 << (i % 3)) + " --global-batch-size " + std::to_string(64 << (i % 2)) +
        " --tensor-model-parallel-size " + std::to_string(1 << (i % 4)) + " --use-distributed-optimizer --world-size " +
        std::to_string(8 << (i % 3));
    const std::string path = folder.file(name + ".sh", script);
    const Outcome predicted = test::run_shardsim("predict --megatron " + path +
                                                 " --cluster a100-dgx --set device.sustained_slowdown=1.296"
                                                 " --format json");
    const double seconds = Json::parse(predicted.out)["iteration_s"];
    std::string log;
    for (int k = 1; k < 6; ++k) {
      log += " iteration " + std::to_string(k) +
             "/ 9 | elapsed time per iteration (ms): " + std::to_string(seconds * 1e3) +
             " | global batch size: " + std::to_string(64 << (i % 2)) + " |\n";
    }
    folder.file(name + ".log", log);
  }
  return folder.path();
}

TEST(LogCommand, AFitWritesAProfileThatPredictTakes) {
  const test::TemporaryFolder folder;
  const std::string profile = folder.path() / "ours.toml";
  const std::string logs = many_logs(folder);
  const Json fit = json_of(logs + " --cluster a100-dgx --fit " + profile)["fit"];
  EXPECT_EQ(fit["time"]["runs"], 10);
  EXPECT_LT(fit["time"]["after"].get<double>(), 0.3 * fit["time"]["before"].get<double>());
  EXPECT_EQ(fit["constants"][0]["name"], "sustained clock");
  EXPECT_TRUE(fit["constants"][0]["determined"]);
  // 1.296 / 1.08
  EXPECT_NEAR(fit["constants"][0]["value"], 1.2, 0.06);
  EXPECT_FALSE(fit["constants"][3]["determined"]);
  // Used as a cluster it gives what was measured.
  const Json again = json_of((folder.path() / "run3.log").string() + " --cluster " + profile)["logs"][0];
  EXPECT_LT(std::abs(again["time"]["error"].get<double>()), 0.03);
  EXPECT_EQ(again["scenario"]["cluster"], "a100-dgx");
}

TEST(LogCommand, AFailedFitLeavesTheProfileAsItWas) {
  const test::TemporaryFolder folder;
  const std::string profile = folder.file("ours.toml", "mine");
  const std::string bad = folder.file("bad.log", "nothing");
  expect_refused(gpt() + " --log " + bad + " --fit " + profile, "bad.log: holds no iteration line");
  EXPECT_EQ(test::read_source(profile), "mine");
  expect_refused(gpt() + " --log " + kLogs + "nemo-gpt-5b.log --fit " + profile,
                 "--fit takes runs of one cluster, device and stack");
  EXPECT_EQ(test::read_source(profile), "mine");
  expect_refused(gpt() + " --fit " + (folder.path() / "none/ours.toml").string(), "cannot be written");
  expect_refused(bad + " --fit " + bad, "would overwrite a log");
  expect_refused((folder.path() / "").string() + " --fit " + profile, "bad.log: holds no iteration line");
}

}  // namespace
}  // namespace shardsim::validate::log
