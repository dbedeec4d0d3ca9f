// `shardsim plan` under mpirun: one answer, the same as that of one process.
#include <gtest/gtest.h>
#include <unistd.h>

#include <regex>
#include <string>

#include "tests/support/process.hpp"

namespace shardsim::test {
namespace {

Outcome plan(int ranks, const std::string& options) {
  std::string command = geteuid() == 0 ? "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 " : "";
  if (ranks > 1) command += std::regex_replace(SHARDSIM_MPIRUN, std::regex("RANKS"), std::to_string(ranks)) + " ";
  return run_shell(command + "'" + shardsim_path() +
                   "' plan --model gpt3-13b --cluster a100-dgx --gpus 64 --global-batch-size 512 " + options);
}

TEST(PlanProgram, RanksShareASearchAndOnePrintsItsAnswer) {
  for (const char* options : {"--format json", "--format csv --best 50 --fixed zero_stage=1", "--format table"}) {
    const Outcome alone = plan(1, options);
    ASSERT_EQ(alone.code, 0) << alone.err;
    for (const int ranks : {2, 3}) {
      const Outcome shared = plan(ranks, options);
      EXPECT_EQ(shared.code, 0) << shared.err;
      EXPECT_EQ(shared.out, alone.out) << options << " on " << ranks;
    }
  }
}

TEST(PlanProgram, SaysTheNearestWhereNothingFits) {
  const Outcome alone = plan(1, "--max-memory '2 GiB' --format json");
  const Outcome shared = plan(2, "--max-memory '2 GiB' --format json");
  EXPECT_EQ(alone.code, 3);
  EXPECT_EQ(shared.code, 3) << shared.err;
  EXPECT_EQ(shared.out, alone.out);
}

TEST(PlanProgram, RefusesBadInputOnce) {
  const Outcome outcome = plan(2, "--fixed micro_batch_sise=1");
  // Or that of mpirun of Open MPI 4.1 when it crashes itself while it ends the ranks.
  EXPECT_TRUE(outcome.code == 2 || outcome.code == 139) << outcome.code;
  EXPECT_EQ(outcome.out, "");
  const std::string message = "did you mean `micro_batch_size`?";
  EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find(message), outcome.err.rfind(message)) << outcome.err;
}

}  // namespace
}  // namespace shardsim::test
