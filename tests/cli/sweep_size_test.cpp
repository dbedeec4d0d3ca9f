// `shardsim sweep` and `shardsim size` as a user meets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace shardsim::test {
namespace {

constexpr int kBadInput = 2;
constexpr int kDoesNotFit = 3;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::ptrdiff_t lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

struct Refusal {
  const char* arguments;
  const char* message;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.arguments; }

class SweepSizeRefused : public testing::TestWithParam<Refusal> {};

TEST_P(SweepSizeRefused, WithWhatWouldBeRight) {
  const Outcome outcome = run_shardsim(GetParam().arguments);
  EXPECT_EQ(outcome.code, kBadInput) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(contains(outcome.err, GetParam().message)) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, SweepSizeRefused,
    testing::Values(
        Refusal{"size --model gpt3-13b --deadline 30d", "--tokens is missing"},
        Refusal{"size --model gpt3-13b --tokens 0 --deadline 30d", "--tokens = 0: must be more than 0"},
        Refusal{"size --model gpt3-13b --tokens 300B --deadline 0d", "--deadline = 0d: must be more than 0"},
        Refusal{"size --model gpt3-13b --tokens 300B --deadline 30", "a time with its unit"},
        Refusal{"size --model gpt3-13b --tokens 300B --deadline 30d --budget -1", "--budget = -1: must be more"},
        Refusal{"size --model gpt3-13b --tokens 300B --deadline 30d --price -1", "--price = -1: must be more"},
        Refusal{"size --model gpt3-13b --tokens 300B --deadline 30d --cluster a100-dgx,h100-dxg", "`h100-dgx`?"},
        Refusal{"size --model gpt3-13b --tokens 300B --deadline 30d --gpus 8", "--max-gpus limits it"},
        Refusal{"size --model gpt3-13b --tokens 300B --deadline 30d --budgt 8", "did you mean `--budget`?"},
        Refusal{"size --model gpt3-13b --tokens 300B --deadline 30d --set training.micro_batch_size=2", "leave it out"},
        Refusal{"size --model gpt3-13b --tokens 300B --deadline 30d --set model.hiden_size=2", "model.hidden_size"},
        Refusal{"size --model gpt3-13b --tokens 300B --deadline 30d --largest layers", "does not go with"},
        Refusal{"size --model gpt3-13b --cluster a100-dgx --gpus 8 --largest layer", "did you mean `layers`?"},
        Refusal{"size --model gpt3-13b --cluster a100-dgx --largest layers", "needs --gpus"},
        Refusal{"sweep gpt3-175b-512-a100", "--over KEY=RANGE is missing"},
        Refusal{"sweep gpt3-175b-512-a100 --over cluster.gpuz=1,2", "did you mean \"cluster.gpus\"?"},
        Refusal{"sweep gpt3-175b-512-a100 --over cluster.gpus=8..1", "ends before it begins"},
        Refusal{"sweep gpt3-175b-512-a100 --over cluster.gpus=7,9", "every point is invalid; at cluster.gpus = 7"},
        Refusal{"sweep gpt3-175b-512-a100 --over cluster.gpus=64,128 --metric mfuu", "did you mean `mfu`?"},
        Refusal{"sweep gpt3-175b-512-a100 --over training.micro_batch_size=1,2 --replan", "which chooses it"},
        Refusal{"sweep gpt3-175b-512-a100 --over cluster.gpus=64,128 --figure /no/such/f.svg", "cannot be written"},
        Refusal{"predict gpt3-175b-512-a100 --set parallelism.sequence_parallel=x2", "multiplies numbers only"}));

TEST(Sweep, PointsAreWhatPredictSays) {
  const Outcome sweep = run_shardsim("sweep gpt3-175b-512-a100 --over cluster.gpus=256,512 --format csv");
  ASSERT_EQ(sweep.code, 0) << sweep.err;
  const Outcome predict = run_shardsim("predict gpt3-175b-512-a100 --gpus 256 --format json");
  const std::size_t at = predict.out.find("\"iteration_s\": ") + 15;
  const std::string seconds = predict.out.substr(at, predict.out.find(',', at) - at);
  EXPECT_TRUE(contains(sweep.out, "\n256,ok,," + seconds + ",")) << sweep.out << seconds;
  EXPECT_EQ(lines_of(sweep.out), 3);
}

TEST(Sweep, ShowsWhatDoesNotFitAndWhatIsInvalid) {
  const Outcome outcome = run_shardsim("sweep gpt3-175b-512-a100 --over training.micro_batch_size=1,4,5 --format csv");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.out, "\n4,does_not_fit,,")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\n5,invalid,")) << outcome.out;
  EXPECT_EQ(run_shardsim("sweep gpt3-175b-512-a100 --over training.micro_batch_size=4,8").code, kDoesNotFit);
}

TEST(Sweep, ReplansEveryPoint) {
  const Outcome outcome =
      run_shardsim("sweep gpt3-175b-512-a100 --over cluster.preset=a100-dgx,h100-dgx --gpus 64 --replan --format json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "\"replanned\": true"));
  EXPECT_TRUE(contains(outcome.out, "\"tensor_model_parallel_size\""));
}

TEST(Size, EveryPointIsWithinItsInterval) {
  const Outcome outcome =
      run_shardsim("size --model gpt2-774m --tokens 10B --deadline 2d --cluster a100-dgx --format csv");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("cluster,gpus,"), 0U);
  EXPECT_TRUE(contains(outcome.out, "wall_clock_s_expected,wall_clock_s_p10,wall_clock_s_p90"));
}

TEST(Size, NothingWithoutAPriceMeetsABudget) {
  const std::string job = "size --model gpt2-774m --tokens 10B --deadline 2d --budget 1M --cluster v100-dgx2";
  const Outcome alone = run_shardsim(job);
  EXPECT_EQ(alone.code, 2);
  EXPECT_TRUE(contains(alone.err, "no price of v100-32gb-350w is listed; --price gives one")) << alone.err;
  const Outcome beside = run_shardsim(job + ",a100-dgx");
  EXPECT_EQ(beside.code, 0) << beside.err;
  EXPECT_TRUE(contains(beside.out, "v100-dgx2  unsuitable: ")) << beside.out;
  EXPECT_EQ(run_shardsim(job + " --price 1.5").code, 0);
}

TEST(Size, NamesTheNearestWhereNothingMeetsTheGoal) {
  const Outcome outcome =
      run_shardsim("size --model gpt2-774m --tokens 1T --deadline 1h --cluster v100-dgx1 --max-gpus 64");
  EXPECT_EQ(outcome.code, kDoesNotFit);
  EXPECT_TRUE(contains(outcome.out, "No cluster meets it. Nearest: 64 GPUs of v100-dgx1")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "of the deadline"));
}

TEST(Size, StopsOnCtrlCWithWhatIsDone) {
  // What a shell that ignores SIGINT starts ignores it too: until the program listens, nothing happens.
  const Outcome outcome = run_shell("trap '' INT; '" + shardsim_path() +
                                    "' size --model llama3-405b --tokens 15T --deadline 60d & pid=$!; "
                                    "while kill -INT $pid 2>/dev/null; do sleep 0.02; done; wait $pid");
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "interrupted: not all sizes were tried")) << outcome.out;
}

}  // namespace
}  // namespace shardsim::test
