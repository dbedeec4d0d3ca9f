// `shardsim train` as a user starts it: log, mistakes, checkpoints, files, ranks that fail.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace shardsim::test {
namespace {

namespace fs = std::filesystem;

class TrainProgram : public ::testing::Test {
 protected:
  TrainProgram() { fs::create_directory(folder_); }
  ~TrainProgram() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  /// One process, or several under mpirun.
  static Outcome train(int ranks, const std::string& arguments) {
    return run_shell((ranks == 1 ? "" : launcher(ranks)) + "'" + shardsim_path() + "' train " + arguments);
  }
  static std::string launcher(int ranks) {
    std::string command = geteuid() == 0 ? "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 " : "";
    return command + std::regex_replace(SHARDSIM_MPIRUN, std::regex("RANKS"), std::to_string(ranks)) + " ";
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("shardsim-train-test-" + std::to_string(getpid()));
};

constexpr const char* kTiny = "--model gpt2-tiny --seq-length 32 --lr 1e-3 --global-batch-size 8 ";

std::vector<double> losses(const Outcome& outcome) {
  std::vector<double> found;
  const std::regex line(R"(lm loss: (\S+) )");
  for (std::sregex_iterator i(outcome.out.begin(), outcome.out.end(), line), end; i != end; ++i) {
    found.push_back(std::stod((*i)[1]));
  }
  return found;
}

/// Exit code 2, or that of mpirun of Open MPI 4.1 when it crashes itself while it ends the ranks.
bool refused(const Outcome& outcome) { return outcome.code == 2 || outcome.code == 139; }

TEST_F(TrainProgram, LogsAsMegatronDoes) {
  const Outcome outcome = train(1, "--model gpt2-tiny --train-iters 2");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::regex line(
      R"( \[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] iteration        2/       2 \| consumed samples:            8 \| )"
      R"(elapsed time per iteration \(ms\): \d+\.\d \| throughput per GPU \(TFLOP/s/GPU\): \d+\.\d+ \| )"
      R"(learning rate: \d\.\d{6}E[-+]\d\d \| global batch size:     4 \| lm loss: \d\.\d{6}E[-+]\d\d \| )"
      R"(loss scale: 1\.0 \| grad norm: \d+\.\d{6} \| number of skipped iterations:   0 \| )"
      R"(number of nan iterations:   0 \|)");
  EXPECT_TRUE(std::regex_search(outcome.out, line)) << outcome.out;
  EXPECT_NE(outcome.out.find("memory (MiB) | peak allocated: "), std::string::npos);
}

TEST_F(TrainProgram, OneRankPrints) {
  const Outcome outcome = train(2, kTiny + std::string("--tensor-model-parallel-size 2 --train-iters 2"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(losses(outcome).size(), 2U) << outcome.out;
}

TEST_F(TrainProgram, RefusesBadInputAndWritesNothing) {
  const Outcome outcome = train(2, kTiny + std::string("--lr 0 --record ") + path("record"));
  EXPECT_TRUE(refused(outcome)) << outcome.code;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("--lr = 0: must be a number above 0"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("--lr"), outcome.err.rfind("--lr")) << "told by more than one rank: " << outcome.err;
  EXPECT_FALSE(fs::exists(path("record")));
}

TEST_F(TrainProgram, RefusesALayoutThatTheRanksDoNotFill) {
  const Outcome outcome = train(2, kTiny + std::string("--gpus 4 --micro-batch-size 2"));
  EXPECT_TRUE(refused(outcome)) << outcome.code;
  EXPECT_NE(outcome.err.find("the job has 2 ranks"), std::string::npos) << outcome.err;
}

TEST_F(TrainProgram, RefusesAGpuThatIsNotThere) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a GPU's driver";
  const Outcome outcome = train(1, kTiny + std::string("--backend gpu"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  const std::regex reason(
      "--backend = gpu: this (machine has no usable NVIDIA driver or GPU: .*|program was built "
      "without a CUDA toolkit); cpu would be right\n");
  EXPECT_TRUE(std::regex_search(outcome.err, reason)) << outcome.err;
}

TEST_F(TrainProgram, SkipsIterationsWhoseGradientsOverflow) {
  // Far above fp32's range of 3.4e38 whatever the gradient; halved until the gradients fit.
  const Outcome outcome = train(1, kTiny + std::string("--train-iters 20 --initial-loss-scale 1e42 --hysteresis 1"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::vector<int> skipped;
  std::vector<double> scales;
  const std::regex line(R"(loss scale: (\S+) .*number of skipped iterations: +(\d))");
  for (std::sregex_iterator i(outcome.out.begin(), outcome.out.end(), line), end; i != end; ++i) {
    scales.push_back(std::stod((*i)[1]));
    skipped.push_back(std::stoi((*i)[2]));
  }
  ASSERT_EQ(skipped.size(), 20U) << outcome.out;
  EXPECT_EQ(skipped.front(), 1);
  EXPECT_EQ(skipped.back(), 0);
  for (std::size_t i = 0; i + 1 < scales.size(); ++i) {
    EXPECT_NEAR(scales[i + 1], skipped[i] == 1 ? scales[i] / 2 : scales[i], 1e-9 * scales[i]);
  }
}

TEST_F(TrainProgram, LossFallsOnText) {
  // English in bytes has an entropy near 3 nats by single letters; untrained, log 512 = 6.2.
  const Outcome outcome = train(2, kTiny + std::string("--lr 3e-3 --lr-decay-style constant --train-iters 60 "
                                                       "--data-path LICENSE"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<double> found = losses(outcome);
  ASSERT_EQ(found.size(), 60U);
  EXPECT_GT(found.front(), 6.0);
  EXPECT_LT(found.back(), 3.2);
}

TEST_F(TrainProgram, ResumesBitByBitAndInAnotherLayout) {
  const std::string job = kTiny + std::string("--lr-decay-iters 20 ");
  const std::string layout = job + "--tensor-model-parallel-size 2 --use-distributed-optimizer ";
  const Outcome whole = train(4, layout + "--train-iters 6 --export-weights " + path("whole.safetensors"));
  ASSERT_EQ(whole.code, 0) << whole.err;
  const Outcome half = train(4, layout + "--train-iters 3 --save " + path("checkpoint"));
  ASSERT_EQ(half.code, 0) << half.err;
  const Outcome rest = train(
      4, layout + "--train-iters 6 --load " + path("checkpoint") + " --export-weights " + path("rest.safetensors"));
  ASSERT_EQ(rest.code, 0) << rest.err;
  const std::vector<double> expected = losses(whole);
  const std::vector<double> found = losses(rest);
  ASSERT_EQ(found.size(), 3U) << rest.out;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(found[i], expected[i + 3]);
  EXPECT_TRUE(read_source(path("whole.safetensors")) == read_source(path("rest.safetensors")));

  const Outcome other = train(2, job + "--pipeline-model-parallel-size 2 --train-iters 6 --load " + path("checkpoint"));
  ASSERT_EQ(other.code, 0) << other.err;
  ASSERT_EQ(losses(other).size(), 3U) << other.out;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(losses(other)[i], expected[i + 3], 1e-5 * expected[i + 3]);
}

TEST_F(TrainProgram, RefusesToLoadNothing) {
  const Outcome outcome = train(1, kTiny + std::string("--load ") + path("empty"));
  EXPECT_TRUE(refused(outcome)) << outcome.code;
  EXPECT_NE(outcome.err.find("holds neither a checkpoint"), std::string::npos) << outcome.err;
}

TEST_F(TrainProgram, RefusesACheckpointThatIsCutOff) {
  const std::string save = kTiny + std::string("--tensor-model-parallel-size 2 --train-iters 1 --save ") + path("cut");
  ASSERT_EQ(train(2, save).code, 0);
  for (const auto& entry : fs::recursive_directory_iterator(path("cut"))) {
    if (entry.path().extension() == ".safetensors") fs::resize_file(entry.path(), entry.file_size() / 2);
  }
  const Outcome outcome = train(2, kTiny + std::string("--pipeline-model-parallel-size 2 --load ") + path("cut"));
  EXPECT_TRUE(refused(outcome)) << outcome.code;
  EXPECT_NE(outcome.err.find("shardsim: rank "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(".safetensors"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("cut off"), std::string::npos) << outcome.err;
  EXPECT_LT(outcome.wall.count(), 20.0);
}

// A disk for one checkpoint of 478,720 weights with master copies and moments (5.7 MB), not for two.
TEST_F(TrainProgram, AFullDiskEndsTheJobAndLeavesTheLastCheckpoint) {
  const std::string disk = path("disk");
  fs::create_directory(disk);
  const std::string mount = "unshare -m sh -ec 'mount -t tmpfs -o size=9m none " + disk + "; ";
  if (run_shell(mount + "'").code != 0) GTEST_SKIP() << "this user may not mount a small disk";
  const auto job = [&](int ranks, const std::string& arguments) {
    return launcher(ranks) + "\"" + shardsim_path() + "\" train " + kTiny + "--data-parallel-size 2 " + arguments +
           disk;
  };
  const Outcome outcome = run_shell(mount + "code=0; " + job(2, "--train-iters 3 --save-interval 1 --save ") +
                                    " || code=$?; echo code $code; find " + disk + " -type f | sort; " +
                                    job(2, "--train-iters 2 --load ") + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("saved iteration 1"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("saved iteration 2"), std::string::npos) << outcome.out;
  EXPECT_FALSE(std::regex_search(outcome.out, std::regex("code 0"))) << outcome.out;
  EXPECT_TRUE(std::regex_search(outcome.err, std::regex("shardsim: rank \\d of 2: .*No space left on device")))
      << outcome.err;
  EXPECT_EQ(outcome.out.find(disk + "/iter_0000002"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("loaded " + disk + ", 1 iterations done"), std::string::npos) << outcome.out;
}

TEST_F(TrainProgram, TakesAndGivesHuggingFacesWeights) {
  for (const std::string model : {"gpt2-tiny", "bert-tiny"}) {
    SCOPED_TRACE(model);
    const std::string job = "--model " + model + " --micro-batch-size 2 --global-batch-size 4 ";
    const std::string first = path(model + "-first.safetensors"), second = path(model + "-second.safetensors");
    const Outcome out =
        train(2, job + "--tensor-model-parallel-size 2 --lr 1e-3 --train-iters 3 --export-weights " + first);
    ASSERT_EQ(out.code, 0) << out.err;
    // A learning rate that changes no fp32 weight: what comes out is what went in, through another layout.
    const Outcome in = train(2, job + "--pipeline-model-parallel-size 2 --lr 1e-36 --train-iters 1 --load " + first +
                                    " --export-weights " + second);
    ASSERT_EQ(in.code, 0) << in.err;
    EXPECT_NE(in.out.find("loaded " + first), std::string::npos) << in.out;
    EXPECT_TRUE(read_source(first) == read_source(second));
  }
}

TEST_F(TrainProgram, TellsWhatDoesNotFit) {
  const Outcome outcome = train(2, "--model sc21-1008b --tensor-model-parallel-size 2 --set model.activation=gelu");
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_EQ(outcome.out.rfind("DOES NOT FIT: 2 ranks", 0), 0U) << outcome.out;
  EXPECT_EQ(outcome.out.find("DOES", 1), std::string::npos) << "told by one rank: " << outcome.out;
}

TEST_F(TrainProgram, ChecksCollectivesOfEveryKindOfLayout) {
  for (const char* layout : {"--tensor-model-parallel-size 2 --sequence-parallel --use-distributed-optimizer "
                             "--overlap-grad-reduce --overlap-param-gather ",
                             "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 1 "
                             "--num-layers 4 --micro-batch-size 1 "}) {
    SCOPED_TRACE(layout);
    const std::string job = kTiny + std::string(layout) + "--train-iters 2 ";
    const Outcome plain = train(4, job);
    const Outcome checked = train(4, job + "--check-collectives");
    ASSERT_EQ(checked.code, 0) << checked.err;
    EXPECT_EQ(losses(checked), losses(plain));
    EXPECT_EQ(losses(checked).size(), 2U);
  }
}

TEST_F(TrainProgram, RecordsAndTraces) {
  const Outcome outcome = train(2, kTiny + std::string("--pipeline-model-parallel-size 2 --train-iters 2 --record ") +
                                       path("record.jsonl") + " --trace " + path("trace.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines{read_source(path("record.jsonl"))};
  std::array<int, 2> operators{};
  int sends = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    ++operators.at(record.at("rank"));
    EXPECT_LE(record.at("start"), record.at("end"));
    sends += record.at("kind") == "send_recv" ? 1 : 0;
  }
  EXPECT_GT(operators[0], 50);
  EXPECT_GT(operators[1], 50);
  // Two micro batches of 4, an activation and a gradient each, in two iterations.
  EXPECT_EQ(sends, 2 * 2 * 2);
  const auto trace = nlohmann::json::parse(read_source(path("trace.json")));
  EXPECT_GT(trace.at("traceEvents").size(), 100U);
}

TEST_F(TrainProgram, EndsWhenAFileCannotBeWritten) {
  const Outcome outcome = train(2, kTiny + std::string("--record /nonexistent/record"));
  EXPECT_TRUE(refused(outcome)) << outcome.code;
  EXPECT_NE(outcome.err.find("/nonexistent/record: cannot be written"), std::string::npos) << outcome.err;
  EXPECT_LT(outcome.wall.count(), 20.0);
}

TEST_F(TrainProgram, LearnsBeforeItTrainsWhatItCannotWrite) {
  write_file(path("file"), "");
  const Outcome outcome = train(1, kTiny + std::string("--save ") + path("file") + " --trace " + path("") +
                                       " --export-weights " + path("none/weights.safetensors"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(path("file") + ": cannot be written: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(path("") + ": cannot be written: is a folder"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("none/weights.safetensors: cannot be written: No such file or directory"),
            std::string::npos)
      << outcome.err;
}

/// Starts two ranks that train for ever, sends `signal` to one of them once it trains, and waits for the end.
std::string harm_one_rank(const std::string& launcher, const std::string& signal, const std::string& log,
                          const std::string& options) {
  return launcher + "'" + shardsim_path() + "' train " + kTiny + "--data-parallel-size 2 --train-iters 1000000 " +
         options + " > " + log + " & launcher=$!; " + "for i in $(seq 300); do grep -q iteration " + log +
         " && break; sleep 0.1; done; " + "victim=$(pgrep -P $launcher | tail -1); start=$(date +%s); kill -" + signal +
         " $victim; wait $launcher; code=$?; kill -KILL $victim 2>/dev/null; " +
         "echo seconds $(( $(date +%s) - start )); exit $code";
}

TEST_F(TrainProgram, EndsWhenARankDies) {
  const Outcome outcome = run_shell(harm_one_rank(launcher(2), "KILL", path("log"), ""));
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.err.find("rank 1"), std::string::npos) << outcome.err;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("seconds 1?[0-9]\n"))) << outcome.out;
}

TEST_F(TrainProgram, EndsWhenARankHangs) {
  const Outcome outcome = run_shell(harm_one_rank(launcher(2), "STOP", path("log"), "--timeout 2"));
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.err.find("rank 0"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("waited"), std::string::npos) << outcome.err;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("seconds 1?[0-9]\n"))) << outcome.out;
}

}  // namespace
}  // namespace shardsim::test
