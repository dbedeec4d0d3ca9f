// `shardsim predict --engine event` as a user calls it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/process.hpp"

namespace shardsim::test {
namespace {

constexpr int kBadInput = 2;
const char* const kRun = "predict gpt3-175b-512-a100 --engine event ";

TEST(EventEngine, RefusesWhatItCannotRead) {
  for (const char* options :
       {"--straggler foo", "--straggler rank=512,slow=1.1", "--straggler rank=1,slow=0", "--straggler rank=-1,slow=2",
        "--jitter 2", "--jitter ''", "--seed ''", "--trace-ranks '' --trace out.json", "--jitter nan", "--seed 3",
        "--jitter 0.1 --seed -1", "--trace-ranks 0", "--trace /nowhere/t.json", "--trace /dev/null --trace-ranks 3-1",
        "--trace /dev/null --trace-ranks 512", "--timeline --format json", "--engine fast"}) {
    const Outcome outcome = run_shardsim(std::string(kRun) + options);
    EXPECT_EQ(outcome.code, kBadInput) << options;
    EXPECT_EQ(outcome.out, "") << options;
    EXPECT_NE(outcome.err, "") << options;
  }
  EXPECT_EQ(run_shardsim("predict gpt3-175b-512-a100 --timeline").code, kBadInput);
}

TEST(EventEngine, IsReproducible) {
  const std::string command = std::string(kRun) + "--jitter 0.03 --seed 7 --straggler rank=17,slow=1.15 --format json";
  const Outcome once = run_shardsim(command);
  EXPECT_EQ(once.code, 0);
  EXPECT_NE(once.out.find("\"utilisation\""), std::string::npos);
  EXPECT_EQ(run_shardsim(command).out, once.out);
}

TEST(EventEngine, WritesTraceAndTimeline) {
  const std::string trace = testing::TempDir() + "/shardsim-trace.json";
  const Outcome outcome = run_shardsim(std::string(kRun) + "--timeline --trace-ranks 0,64-65 --trace " + trace);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("rank 448"), std::string::npos) << outcome.out;
  EXPECT_GT(std::filesystem::file_size(trace), 100'000U);
  std::filesystem::remove(trace);
}

}  // namespace
}  // namespace shardsim::test
