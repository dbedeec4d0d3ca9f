// Every command in the golden files and in the README prints exactly what stands there.
// SHARDSIM_REGENERATE_GOLDEN=1 writes them anew (but outputs with "..." that still match); read the
// difference before committing it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "tests/golden/transcript.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace shardsim::golden {
namespace {

/// Only ./run commands are run; `./run test` would be this very test.
bool is_run(const std::string& command) {
  return command.find("./run ") != std::string::npos && command.find("./run test") == std::string::npos;
}

std::string output_of(std::string command) {
  const std::string program = "'" + test::shardsim_path() + "' ";
  for (std::size_t at = 0; (at = command.find("./run ", at)) != std::string::npos; at += program.size()) {
    command.replace(at, 6, program);
  }
  const test::Outcome outcome = test::run_shell(command);
  return outcome.out + (outcome.code == 0 ? "" : "[exit code " + std::to_string(outcome.code) + "]\n");
}

/// Runs the steps of `file` and compares, or writes their outputs into it.
void check(const std::string& file, const std::vector<Step>& steps) {
  std::string text = test::read_source(file);
  bool wrong = false;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (!is_run(step->command)) continue;
    const std::string actual = output_of(step->command);
    if (matches(step->output, actual)) continue;
    wrong = true;
    text = with_output(text, *step, actual);
    if (std::getenv("SHARDSIM_REGENERATE_GOLDEN") != nullptr) continue;
    ADD_FAILURE() << file << ":" << step->line << ": " << step->command << "\nprints:\n"
                  << actual << "and not:\n"
                  << step->output;
  }
  if (wrong && std::getenv("SHARDSIM_REGENERATE_GOLDEN") != nullptr) {
    test::write_file(std::string(SHARDSIM_SOURCE_DIR "/") + file, text);
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem();
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

class GoldenFile : public testing::TestWithParam<std::string> {};

TEST_P(GoldenFile, IsWhatTheCommandsPrint) {
  const std::vector<Step> steps = steps_of_file(test::read_source(GetParam()));
  ASSERT_FALSE(steps.empty());
  check(GetParam(), steps);
}

INSTANTIATE_TEST_SUITE_P(Commands, GoldenFile, testing::ValuesIn(test::source_files("tests/golden", {".golden"})),
                         test_name);

TEST(Readme, ShowsWhatItsCommandsPrint) {
  const std::vector<Step> steps = steps_of_markdown(test::read_source("README.md"));
  ASSERT_TRUE(std::any_of(steps.begin(), steps.end(), [](const Step& step) { return is_run(step.command); }));
  check("README.md", steps);
}

TEST(Transcript, FindsCommandsAndTheirOutput) {
  const std::vector<Step> steps = steps_of_file("# comment\n$ ./run a\none\ntwo\n$ ./run b\n[exit code 3]\n");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].line, 2);
  EXPECT_EQ(steps[0].command, "./run a");
  EXPECT_EQ(steps[0].output, "one\ntwo\n");
  EXPECT_EQ(steps[1].output, "[exit code 3]\n");
}

TEST(Transcript, ReadsOnlyConsoleBlocksOfMarkdown) {
  const std::vector<Step> steps = steps_of_markdown("$ no\n```sh\n$ no\n```\n```console\n$ ./run a\nx\n```\ntext\n");
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].line, 6);
  EXPECT_EQ(steps[0].output, "x\n");
}

TEST(Transcript, ReplacesTheOutputOfOneStep) {
  const std::string text = "```console\n$ ./run a\nx\ny\n$ ./run b\n```\nend\n";
  const std::vector<Step> steps = steps_of_markdown(text);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(with_output(text, steps[0], "z\n"), "```console\n$ ./run a\nz\n$ ./run b\n```\nend\n");
  EXPECT_EQ(with_output(text, steps[1], "z\n"), "```console\n$ ./run a\nx\ny\n$ ./run b\nz\n```\nend\n");
}

TEST(Transcript, MatchesWithEllipsis) {
  EXPECT_TRUE(matches("a\n...\nd\n", "a\nb\nc\nd\n"));
  EXPECT_TRUE(matches("a\n...\n", "a\n"));
  EXPECT_FALSE(matches("a\n...\nd\n", "a\nb\nc\n"));
  EXPECT_FALSE(matches("a\n", "a\nb\n"));
  EXPECT_FALSE(matches("a\nb\n", "a\n"));
}

}  // namespace
}  // namespace shardsim::golden
