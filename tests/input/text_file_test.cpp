#include "sim/input/text_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace shardsim::input {
namespace {

class TextFile : public testing::Test {
 protected:
  std::string path = testing::TempDir() + "shardsim_text_file_" + std::to_string(getpid());
  Problems problems;

  void TearDown() override { std::remove(path.c_str()); }
  void write(const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
  void expect_problem(const std::string& words) {
    ASSERT_EQ(problems.all().size(), 1U);
    EXPECT_EQ(problems.all()[0].origin.file, path);
    EXPECT_NE(problems.all()[0].message.find(words), std::string::npos) << problems.all()[0].message;
  }
};

TEST_F(TextFile, ReadsAllBytes) {
  const std::string text(100'000, 'x');
  write(text + "\n");
  EXPECT_EQ(read_text_file(path, problems), text + "\n");
  EXPECT_TRUE(problems.empty());
}

TEST_F(TextFile, Missing) {
  EXPECT_EQ(read_text_file(path, problems), "");
  expect_problem("cannot be read: No such file");
}

TEST_F(TextFile, Empty) {
  write("  \n");
  EXPECT_EQ(read_text_file(path, problems), "");
  expect_problem("is empty");
}

TEST_F(TextFile, Folder) {
  // Made here: tearing down removes `path`, and must not remove the machine's own folder of temporary files.
  ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
  EXPECT_EQ(read_text_file(path, problems), "");
  expect_problem("is a folder");
}

}  // namespace
}  // namespace shardsim::input
