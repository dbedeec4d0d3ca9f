// `shardsim plan` as a user calls it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "tests/support/process.hpp"

namespace shardsim::test {
namespace {

using nlohmann::json;

const std::string kJob = "plan --model gpt3-13b --cluster a100-dgx --gpus 64 --global-batch-size 512 ";

struct Refusal {
  const char* options;
  /// Part of what standard error says.
  const char* message;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.options; }

class PlanRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(PlanRefuses, WithExitCodeTwo) {
  const Outcome outcome = run_shardsim(kJob + GetParam().options);
  EXPECT_EQ(outcome.code, 2) << outcome.out;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(GetParam().message), std::string::npos) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Options, PlanRefuses,
    testing::Values(Refusal{"--fixed tensor_model_paralel_size=8", "did you mean `tensor_model_parallel_size`?"},
                    Refusal{"--fixed training.precision=fp16", "--set training.precision=fp16 gives it"},
                    Refusal{"--fixed tensor_model_parallel_size", "expected key=value"},
                    Refusal{"--forbid zero_stage=7", "`7`"}, Refusal{"--forbid recompute_granularity=fulll", "full"},
                    Refusal{"--fixed schedule=gpipe --forbid schedule=gpipe", "contradict one another"},
                    Refusal{"--fixed micro_batch_size=1 --fixed micro_batch_size=2",
                            "nothing is left of micro_batch_size"},
                    // 40 heads.
                    Refusal{"--fixed tensor_model_parallel_size=16 --fixed zero_stage=1",
                            "some could without --fixed tensor_model_parallel_size=16:"},
                    Refusal{"--fixed tensor_model_parallel_size=8 --fixed data_parallel_size=16",
                            "without --fixed tensor_model_parallel_size=8 or --fixed data_parallel_size=16:"},
                    Refusal{"--max-memory 75", "75"}, Refusal{"--max-memory '0 GiB'", "must be more than 0"},
                    Refusal{"--best 0", "a whole number"}, Refusal{"--threads -3", "a whole number"},
                    Refusal{"--set cluster.gpus=99999999999", "cluster.gpus"},
                    Refusal{"--fixd zero_stage=1", "did you mean `--fixed`?"}));

TEST(Plan, RequiresGpusAndBatch) {
  const Outcome outcome = run_shardsim("plan --model gpt3-13b");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--gpus"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("--global-batch-size"), std::string::npos) << outcome.err;
}

TEST(Plan, CandidatesAreWhatPredictPrints) {
  const Outcome outcome = run_shardsim(kJob + "--format json --best 3");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json plan = json::parse(outcome.out);
  ASSERT_EQ(plan["candidates"].size(), 3U);
  std::int64_t rejected = 0;
  for (const json& one : plan["rejected"]) rejected += one["count"].get<std::int64_t>();
  EXPECT_EQ(rejected + plan["fitting"].get<std::int64_t>(), plan["considered"].get<std::int64_t>());
  double before = 0.0;
  for (const json& candidate : plan["candidates"]) {
    std::string sets;
    const json& parallelism = candidate["resolved"]["parallelism"];
    for (const char* key : {"tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size",
                            "virtual_pipeline_model_parallel_size", "sequence_parallel", "zero_stage"}) {
      sets += std::string(" --set parallelism.") + key + "=" + parallelism[key].dump();
    }
    const json& training = candidate["resolved"]["training"];
    sets += " --set training.micro_batch_size=" + training["micro_batch_size"].dump();
    sets += " --set training.recompute.granularity=" + training["recompute"]["granularity"].get<std::string>();
    const Outcome again = run_shardsim(
        "predict --model gpt3-13b --cluster a100-dgx --gpus 64 --format json"
        " --set training.global_batch_size=512" +
        sets);
    ASSERT_EQ(again.code, 0) << again.err;
    const json prediction = json::parse(again.out);
    EXPECT_EQ(prediction["iteration_s"], candidate["iteration_s"]);
    EXPECT_EQ(prediction["memory"], candidate["memory"]);
    EXPECT_GT(candidate["event_iteration_s"].get<double>(), 0.0);
    EXPECT_GE(candidate["iteration_s"].get<double>(), before);
    before = candidate["iteration_s"].get<double>();
  }
}

TEST(Plan, KeepsToItsConstraints) {
  const Outcome outcome = run_shardsim(kJob +
                                       "--format json --fixed tensor_model_parallel_size=2,4 --forbid zero_stage=0,2,3 "
                                       "--max-memory '40 GiB' --forbid recompute_granularity=full");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const json& candidate : json::parse(outcome.out)["candidates"]) {
    const int tp = candidate["resolved"]["parallelism"]["tensor_model_parallel_size"];
    EXPECT_TRUE(tp == 2 || tp == 4);
    EXPECT_EQ(candidate["resolved"]["zero_stage"], 1);
    EXPECT_LE(candidate["memory"]["device_used_bytes"].get<std::int64_t>(), std::int64_t{40} << 30);
  }
}

TEST(Plan, OffersWhatTheStackCanDoUnlessAskedForMore) {
  const std::string job =
      "plan --model gpt3-13b --cluster v100-dgx2h --stack megatron-lm-2022 --gpus 64 --global-batch-size 512 ";
  const Outcome outcome = run_shardsim(job + "--fixed use_distributed_optimizer=true --format json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const json& candidate : json::parse(outcome.out)["candidates"]) {
    EXPECT_EQ(candidate["resolved"]["zero_stage"], 1);
    EXPECT_EQ(candidate["resolved"]["parallelism"]["context_parallel_size"], 1);
  }
  const Outcome beyond = run_shardsim(job + "--fixed context_parallel_size=2 --format json");
  EXPECT_EQ(beyond.code, 0);
  EXPECT_NE(beyond.err.find("warning: the stack megatron-lm-2022 cannot run the first plan"), std::string::npos);
}

TEST(Plan, SaysWhatIsMissingWhereNothingFits) {
  const Outcome outcome = run_shardsim(kJob + "--max-memory '2 GiB' --format json");
  EXPECT_EQ(outcome.code, 3);
  const json plan = json::parse(outcome.out);
  EXPECT_EQ(plan["candidates"].size(), 0U);
  EXPECT_EQ(plan["nearest"]["missing_bytes"].get<std::int64_t>(),
            plan["nearest"]["memory"]["device_used_bytes"].get<std::int64_t>() - (std::int64_t{2} << 30));
}

TEST(Plan, ShowsTheLayoutThatTheInputNames) {
  const Outcome outcome = run_shardsim("plan gpt3-175b-512-a100 --format json --best 1");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json plan = json::parse(outcome.out);
  const json given = json::parse(run_shardsim("predict gpt3-175b-512-a100 --format json").out);
  EXPECT_EQ(plan["given"]["iteration_s"], given["iteration_s"]);
  EXPECT_LE(plan["candidates"][0]["iteration_s"].get<double>(), given["iteration_s"].get<double>());
}

TEST(Plan, PrintsTheSameWithAnyNumberOfThreads) {
  const Outcome one = run_shardsim(kJob + "--threads 1 --format csv");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(run_shardsim(kJob + "--threads 7 --format csv").out, one.out);
}

TEST(Plan, PrintsTheBestSoFarWhenInterrupted) {
  // Playing pipelines of many stages and micro batches takes seconds.
  const Outcome outcome = run_shell(
      "timeout --preserve-status -s INT 0.5 '" + shardsim_path() +
      "' plan --model gpt3-175b --cluster a100-dgx --gpus 98304 --global-batch-size 98304 --threads 1 "
      "--fixed pipeline_model_parallel_size=96 --forbid virtual_pipeline_model_parallel_size=2 --format json");
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_TRUE(json::parse(outcome.out).contains("candidates"));
}

}  // namespace
}  // namespace shardsim::test
