#include <gtest/gtest.h>

#include <filesystem>

#include "calibrate/profile/calibrate.hpp"
#include "calibrate/profile/write.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace shardsim::calibrate {
namespace {

namespace fs = std::filesystem;

/// An empty folder of this test.
std::string fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("calibrate_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder / "devices");
  fs::create_directories(folder / "clusters");
  return folder.string();
}

TEST(Profiles, TheCommittedFilesAreWhatCalibrateWrites) {
  const std::string root = SHARDSIM_SOURCE_DIR;
  Problems problems;
  const Specifications specifications = read_specifications(root + "/calibrate/specifications", problems);
  const Samples samples = read_samples(root + "/calibrate/published", problems);
  problems.throw_if_any();
  const auto files =
      profile_files(calibrate_devices(specifications, samples), calibrate_clusters(specifications, samples));
  for (const auto& [name, text] : files) EXPECT_EQ(test::read_source("scenarios/" + name), text) << name;
  for (const char* kind : {"devices", "clusters"}) {
    for (const std::string& file : test::source_files("scenarios/" + std::string(kind), {".toml"})) {
      EXPECT_EQ(files.count(file.substr(std::string("scenarios/").size())), 1U) << file << " is not written";
    }
  }
}

TEST(Profiles, BadSamplesGiveTwoAndLeaveTheFiles) {
  const std::string folder = fresh_folder("bad");
  for (const char* table : {"attention", "memory_bandwidth", "collectives"}) {
    fs::copy_file(SHARDSIM_SOURCE_DIR + ("/calibrate/published/" + std::string(table)) + ".csv.gz",
                  folder + "/" + table + ".csv.gz");
  }
  test::write_file(folder + "/gemm.csv",
                   "gpu,dtype,m,n,k,layout,batch,time_us,tflops,software,source\nA100,bf16,8,8,8,TN,1,soon,,t,s\n");
  test::write_file(folder + "/devices/a100-80gb.toml", "mine");
  const test::Outcome outcome = test::run_shardsim("calibrate fit --samples " + folder + " --scenarios " + folder);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, folder + "/gemm.csv:2: time_us = soon: must be a number above 0\n");
  EXPECT_EQ(test::read_source(folder + "/devices/a100-80gb.toml"), "mine");
}

TEST(Profiles, AFolderThatCannotBeWrittenIsLeftAsItWas) {
  const std::string folder = fresh_folder("unwritable");
  test::write_file(folder + "/devices/a.toml", "mine");
  EXPECT_THROW(write_files(folder, {{"devices/a.toml", "new"}, {"nowhere/b.toml", "new"}}), InputError);
  EXPECT_EQ(test::read_source(folder + "/devices/a.toml"), "mine");
  EXPECT_FALSE(fs::exists(folder + "/devices/a.toml.new"));
  write_files(folder, {{"devices/a.toml", "new"}});
  EXPECT_EQ(test::read_source(folder + "/devices/a.toml"), "new");
}

TEST(Profiles, UnknownCommandsGiveTwo) {
  EXPECT_EQ(test::run_shardsim("calibrate sing").code, 2);
  EXPECT_EQ(test::run_shardsim("calibrate fit --wrong").code, 2);
  EXPECT_EQ(test::run_shardsim("calibrate --help").code, 0);
}

}  // namespace
}  // namespace shardsim::calibrate
