#include "kernels/checkpoint/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/kernels/checkpoint/small_disk.hpp"
#include "tests/support/temporary_folder.hpp"

namespace shardsim::kernels {
namespace {

std::size_t entries(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{folder}, {}));
}

TEST(TextFile, ReplacesTheOldOneWhole) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.file("latest.txt", "old and longer");
  write_text_file(path, "new");
  const File file{path, File::Mode::read};
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, text.data(), file.size());
  EXPECT_EQ(text, "new");
  EXPECT_EQ(entries(folder.path()), 1U);
}

// A disk that takes no more than 100 bytes of a file: the old file stays, and nothing else.
TEST(TextFile, FullDiskLeavesTheOldOne) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.file("latest.txt", "old");
  std::string why;
  {
    const test::SmallDisk disk{100};
    why = test::refusal([&] { write_text_file(path, std::string(200, 'x')); });
  }
  EXPECT_NE(why.find("latest.txt.unfinished: cannot be written: File too large"), std::string::npos) << why;
  EXPECT_EQ(std::filesystem::file_size(path), 3U);
  EXPECT_EQ(entries(folder.path()), 1U);
}

TEST(TextFile, NamesAFolderThatIsNotThere) {
  const test::TemporaryFolder folder;
  const std::string why = test::refusal([&] { write_text_file(folder.path() / "none" / "x.txt", "x"); });
  EXPECT_NE(why.find("none/x.txt.unfinished: cannot be written: No such file or directory"), std::string::npos) << why;
}

TEST(File, TellsWhereItIsCutOff) {
  const test::TemporaryFolder folder;
  const File file{folder.file("short", "abc"), File::Mode::read};
  char bytes[8];
  const std::string why = test::refusal([&] { file.read(1, bytes, 8); });
  EXPECT_NE(why.find("short: ends at byte 3: it is cut off"), std::string::npos) << why;
}

}  // namespace
}  // namespace shardsim::kernels
