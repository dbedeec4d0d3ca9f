// The commands as a user meets them: exit codes, and what goes to standard output and to standard error.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace shardsim::test {
namespace {

using testing::TempDir;

constexpr int kBadInput = 2;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Refusal {
  const char* arguments;
  /// Part of what standard error says.
  const char* message;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.arguments; }

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithExitCodeAndNothingOnStandardOutput) {
  const Outcome outcome = run_shardsim(GetParam().arguments);
  EXPECT_EQ(outcome.code, kBadInput) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(contains(outcome.err, GetParam().message)) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, Refused,
    testing::Values(Refusal{"", "Commands:"}, Refusal{"predct", "did you mean `predict`?"},
                    Refusal{"xyzzyx", "unknown command `xyzzyx`;"}, Refusal{"help predct", "did you mean `predict`?"},
                    Refusal{"predict", "nothing to predict"}, Refusal{"predict --gpu 8", "did you mean `--gpus`?"},
                    Refusal{"predict --format xml", "the formats are table, json, csv"},
                    Refusal{"predict --megatron", "--megatron"}, Refusal{"predict a.toml b.toml", "at most"},
                    Refusal{"predict --set tp", "--set = tp: expected section.key=value"},
                    Refusal{"predict pretrain.sh", "give it as --megatron pretrain.sh"},
                    Refusal{"predict --format json no-such.toml", "no-such.toml: cannot be read: No such file"},
                    Refusal{"predict no-such.toml --megatron nor-this", "nor-this: cannot be read"},
                    Refusal{"predict sim", "sim: is a folder"}, Refusal{"predict /dev/null", "/dev/null: is empty"},
                    Refusal{"predict --megatron -", "standard input: is empty"},
                    Refusal{"predict - --megatron -", "can be only one of the inputs"},
                    Refusal{"predict --megatron /bin/sh", "/bin/sh: is a binary file"},
                    Refusal{"predict --hf-config /dev/zero", "/dev/zero: is larger than 64 MiB"},
                    Refusal{"predict megatron-gpt2-8.3b-512-v10", "did you mean `megatron-gpt2-8.3b-512-v100`?"},
                    Refusal{"list cluster", "did you mean `clusters`?"}, Refusal{"list models runs", "one kind"}));

TEST(Predict, ReportsAllUnreadableFilesAtOnce) {
  const Outcome outcome = run_shardsim("predict no-such.toml --megatron nor-this --deepspeed-config nor-that");
  EXPECT_EQ(outcome.code, kBadInput);
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 3) << outcome.err;
}

TEST(Predict, DoesNotAskForWhatAnUnreadableFileMayHold) {
  const Outcome outcome = run_shardsim("predict --megatron sim/main.cpp");
  EXPECT_EQ(outcome.code, kBadInput);
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST(Predict, NamesAFileThatMayNotBeRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string file = TempDir() + "/secret.toml";
  write_file(file, "[model]\n");
  ASSERT_EQ(run_shell("chmod 000 " + file).code, 0);
  const Outcome outcome = run_shardsim("predict " + file);
  EXPECT_EQ(outcome.code, kBadInput);
  EXPECT_TRUE(contains(outcome.err, file + ": cannot be read: Permission denied")) << outcome.err;
}

TEST(Help, ExplainsEveryCommandEitherWay) {
  for (const std::string command : {"predict", "list"}) {
    const Outcome by_option = run_shardsim(command + " --help");
    EXPECT_EQ(by_option.code, 0);
    EXPECT_EQ(by_option.err, "");
    EXPECT_TRUE(contains(by_option.out, "Examples:\n  shardsim " + command)) << by_option.out;
    EXPECT_EQ(run_shardsim("help " + command).out, by_option.out);
  }
}

TEST(Help, ListsTheCommands) {
  const Outcome outcome = run_shardsim("--help");
  EXPECT_EQ(outcome.code, 0);
  for (const std::string command : {"predict", "list", "train", "calibrate", "validate", "help"}) {
    EXPECT_TRUE(contains(outcome.out, "\n  " + command)) << command;
  }
  EXPECT_EQ(run_shardsim("help").out, outcome.out);
}

TEST(Version, IsOneLine) {
  const Outcome outcome = run_shardsim("--version");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "shardsim " SHARDSIM_VERSION "\n");
}

TEST(Output, IsReportedWhenItCannotBeWritten) {
  const Outcome outcome = run_shell("'" + shardsim_path() + "' --help > /dev/full");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "could not be written")) << outcome.err;
}

TEST(Siblings, AreNamedWhenTheyAreNotThere) {
  // A copy of the program alone in a folder has no siblings.
  const std::string folder = TempDir() + "/alone";
  const Outcome outcome = run_shell("mkdir -p " + folder + " && cp '" + shardsim_path() + "' " + folder +
                                    "/shardsim && " + folder + "/shardsim train x.toml");
  EXPECT_EQ(outcome.code, kBadInput);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(contains(outcome.err, "alone/shardsim-train: `shardsim train` needs this program: it is not built"))
      << outcome.err;
}

TEST(Siblings, GetTheArgumentsAndGiveTheExitCode) {
  const std::string folder = TempDir() + "/together";
  ASSERT_EQ(run_shell("mkdir -p " + folder + " && cp '" + shardsim_path() + "' " + folder + "/shardsim").code, 0);
  write_file(folder + "/shardsim-validate", "#!/bin/sh\necho \"$#:$1:$2\"\nexit 7\n");
  const Outcome outcome =
      run_shell("chmod +x " + folder + "/shardsim-validate && " + folder + "/shardsim validate 'a b' --help");
  EXPECT_EQ(outcome.code, 7);
  EXPECT_EQ(outcome.out, "2:a b:--help\n");
}

}  // namespace
}  // namespace shardsim::test
