#include "calibrate/profile/specification.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "calibrate/profile/calibrate.hpp"

namespace shardsim::calibrate {
namespace {

std::vector<std::string> problems_of(const std::string& devices) {
  // Tests run side by side: each has a folder of its own.
  const std::string folder =
      testing::TempDir() + "specifications-" + testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(folder);
  std::ofstream{folder + "/devices.toml"} << devices;
  std::ofstream{folder + "/clusters.toml"} << "# none\n";
  Problems problems;
  (void)read_specifications(folder, problems);
  std::vector<std::string> texts;
  for (const Problem& problem : problems.all()) texts.push_back(to_string(problem).substr(folder.size() + 1));
  return texts;
}

TEST(Specification, UnknownKeysAndBareNumbersAreProblems) {
  const auto texts = problems_of("[x]\nmemory_bandwith = \"1 GB/s\"\nmemory_capacity = 80\n");
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0].rfind("devices.toml:2: memory_bandwith", 0), 0U) << texts[0];
  EXPECT_EQ(texts[1].rfind("devices.toml:3", 0), 0U) << texts[1];
}

TEST(Specification, SelectorsNeedAGpu) {
  EXPECT_EQ(problems_of("[x.gemm]\nbf16 = { dtype = \"bf16\" }\n"),
            (std::vector<std::string>{"devices.toml:2: gpu: must be given"}));
}

TEST(Specification, DevicesThatStandOnThemselvesAreRefused) {
  Specifications specifications;
  specifications.devices.resize(2);
  specifications.devices[0].name = "a";
  specifications.devices[0].like = "b";
  specifications.devices[1].name = "b";
  specifications.devices[1].like = "a";
  EXPECT_THROW((void)calibrate_devices(specifications, {}), InputError);
  specifications.devices[0].like = "c";
  EXPECT_THROW((void)calibrate_devices(specifications, {}), InputError);
}

}  // namespace
}  // namespace shardsim::calibrate
