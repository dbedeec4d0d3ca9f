// Running programs, and reading what the trainer writes.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "sim/base/problems.hpp"
#include "tests/support/temporary_folder.hpp"
#include "validate/local/measured.hpp"
#include "validate/local/process.hpp"
#include "validate/local/record.hpp"

namespace shardsim::validate::local {
namespace {

Finished run_shell(const std::string& text, double limit = 20.0) {
  return run_program({"sh", "-c", text}, Seconds{limit});
}

TEST(LocalProcess, GivesCodeAndOutput) {
  const Finished finished = run_shell("echo out; echo first >&2; echo an error here >&2; echo last >&2; exit 3");
  EXPECT_EQ(finished.how, Finished::How::exited);
  EXPECT_EQ(finished.code, 3);
  EXPECT_EQ(finished.out, "out\n");
  EXPECT_EQ(describe_failure(finished), "exit code 3: an error here");
  EXPECT_GT(finished.peak_resident, Bytes{0});
  EXPECT_TRUE(run_shell("exit 0").succeeded());
}

TEST(LocalProcess, TellsWhatKilledIt) {
  const Finished finished = run_shell("kill -9 $$");
  EXPECT_EQ(finished.how, Finished::How::killed);
  EXPECT_EQ(describe_failure(finished), "killed by signal 9");
}

TEST(LocalProcess, EndsWhatTakesTooLongWithAllThatItStarted) {
  const auto start = std::chrono::steady_clock::now();
  const Finished finished = run_shell("sleep 60 & sleep 60; wait", 0.2);
  EXPECT_EQ(finished.how, Finished::How::took_too_long);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{10});
}

TEST(LocalProcess, AnInterruptEndsIt) {
  const InterruptNoted noted;
  std::thread impatient{[] {
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
    std::raise(SIGINT);
  }};
  const Finished finished = run_shell("sleep 60");
  impatient.join();
  EXPECT_EQ(finished.how, Finished::How::interrupted);
}

TEST(LocalProcess, AProgramThatIsMissingIsAFailure) {
  const Finished finished = run_program({"/nowhere/shardsim-train"}, Seconds{5.0});
  EXPECT_FALSE(finished.succeeded());
  EXPECT_EQ(describe_failure(finished), "exit code 127: /nowhere/shardsim-train: No such file or directory");
}

TEST(LocalLog, HoldsStepsAndPeak) {
  const std::string log =
      "job: 5 parameters\n"
      " [x] iteration        1/       2 | consumed samples: 4 | elapsed time per iteration (ms): 41.7 | lm loss: 1 |\n"
      " [Rank 1] (after 1 iterations) memory (MiB) | peak allocated: 2.500 | predicted: 2.500 | parameters: 1.0 |\n"
      " [x] iteration        2/       2 | consumed samples: 8 | elapsed time per iteration (ms): 30.2 | lm loss: 1 |\n";
  const std::vector<double> steps = step_seconds(log);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_DOUBLE_EQ(steps[0], 0.0417);
  EXPECT_DOUBLE_EQ(steps[1], 0.0302);
  EXPECT_DOUBLE_EQ(peak_allocated(log), 2.5 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(peak_allocated("nothing"), 0.0);
}

std::string line(int rank, int iteration, const char* name, const char* kind, double start, double end) {
  return "{\"rank\":" + std::to_string(rank) + ",\"iteration\":" + std::to_string(iteration) + ",\"name\":\"" + name +
         "\",\"kind\":\"" + kind + "\",\"pass\":\"forward\",\"start\":" + std::to_string(start) +
         ",\"end\":" + std::to_string(end) + "}\n";
}

// Rank 1 computes longest. Iteration 1 warms up; of 2, 3 and 4 the medians count: products 2, all-reduces 1.
TEST(LocalRecord, GivesMediansOfTheRankThatComputesLongest) {
  const test::TemporaryFolder folder;
  std::string text = line(1, 1, "linear", "gemm", 0.0, 90.0) + line(0, 2, "linear", "gemm", 0.0, 1.0);
  for (int iteration = 2; iteration <= 4; ++iteration) {
    const double product = iteration == 3 ? 8.0 : 2.0;
    text += line(1, iteration, "linear", "gemm", 1.0, 1.0 + product);
    text += line(1, iteration, "reduce", "all_reduce", 0.0, 0.5) + line(1, iteration, "reduce", "all_reduce", 1.0, 1.5);
  }
  const OperatorTimes times = longest_rank(read_record(folder.file("record", text)), 2);
  EXPECT_DOUBLE_EQ(times.by_class[index_of(Class::matrix_products)], 2.0);
  EXPECT_DOUBLE_EQ(times.by_class[index_of(Class::communication)], 1.0);
  EXPECT_EQ(times.by_operator.at("reduce,all_reduce,forward").count, 2);
  EXPECT_DOUBLE_EQ(times.total(), 3.0);
}

TEST(LocalRecord, ABrokenLineIsNamed) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("record", line(0, 1, "linear", "gemm", 0.0, 1.0) + "{\"rank\":0\n");
  try {
    static_cast<void>(read_record(path));
    FAIL() << "a broken line was read";
  } catch (const InputError& error) {
    EXPECT_NE(std::string{error.what()}.find("record:2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace shardsim::validate::local
