#include "kernels/communicator/launch_environment.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/temporary_folder.hpp"

namespace shardsim::kernels {
namespace {

using Variables = std::map<std::string, std::string>;

LaunchEnvironment read(const Variables& variables) {
  return launch_environment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string refused(const Variables& variables) {
  return test::refusal([&] { (void)read(variables); });
}

TEST(LaunchEnvironment, OneRankByItself) {
  EXPECT_EQ(read({}).size, 1);
  EXPECT_EQ(read({}).address, "");
}

TEST(LaunchEnvironment, Torchrun) {
  const LaunchEnvironment job = read({{"WORLD_SIZE", "16"},
                                      {"RANK", "11"},
                                      {"LOCAL_RANK", "3"},
                                      {"MASTER_ADDR", "node1"},
                                      {"MASTER_PORT", "29400"},
                                      {"SLURM_PROCID", "0"}});
  EXPECT_EQ(job.size, 16);
  EXPECT_EQ(job.rank, 11);
  EXPECT_EQ(job.local_rank, 3);
  EXPECT_EQ(job.address, "node1:29401");
}

TEST(LaunchEnvironment, Slurm) {
  Variables variables = {{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "8"}, {"SLURM_LOCALID", "1"}};
  EXPECT_NE(refused(variables).find("MASTER_ADDR: is not set"), std::string::npos);
  variables["SLURM_LAUNCH_NODE_IPADDR"] = "10.0.0.1";
  EXPECT_EQ(read(variables).address, "10.0.0.1:29501");
  variables["MASTER_ADDR"] = "node1";
  EXPECT_EQ(read(variables).address, "node1:29501");
  EXPECT_EQ(read(variables).rank, 5);
  EXPECT_EQ(read(variables).local_rank, 1);
}

TEST(LaunchEnvironment, RefusesWhatIsNoNumber) {
  EXPECT_NE(refused({{"WORLD_SIZE", "two"}}).find("WORLD_SIZE = two: is not a number from 1 up"), std::string::npos);
  EXPECT_NE(refused({{"WORLD_SIZE", "2"}}).find("RANK: is not set"), std::string::npos);
  EXPECT_NE(refused({{"WORLD_SIZE", "2"}, {"RANK", "2"}, {"LOCAL_RANK", "0"}}).find("rank = 2: is not below"),
            std::string::npos);
}

}  // namespace
}  // namespace shardsim::kernels
