// A cluster file of the user's own where the name of a preset is expected.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/input/test_presets.hpp"

namespace shardsim::input::test {
namespace {

constexpr const char* kCluster = R"([cluster]
title = "my machine"
gpus_per_node = 2
collective_points = [["all_reduce", 2, 1, "1000B", "5us"], ["all_reduce", 2, 1, "2000B", "8us"]]
[cluster.intra_node]
bandwidth = "2 GB/s"
efficiency = 1.0
[device]
title = "one core"
memory_capacity = "8 GiB"
memory_bandwidth = "10 GB/s"
measured_kernels = [["gelu", "1000B", "4GB/s"], ["adam", "1000B", "20GB/s"]]
[device.gemm.bf16]
peak = "0.08 TFLOP/s"
efficiency = 0.9
[device.batched_gemm]
peak = "0.08 TFLOP/s"
efficiency = 0.5
[device.attention]
forward_efficiency = 0.5
backward_efficiency = 0.5
[device.memory_bound]
elementwise_efficiency = 0.5
normalization_efficiency = 0.5
softmax_efficiency = 0.5
optimizer_efficiency = 0.5
[stack.host]
per_launch = "0 us"
)";

class ClusterFile : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(path_) << text;
    return "model = \"gpt3-175b\"\ncluster = \"" + path_ + "\"\ntraining.micro_batch_size = 1\n";
  }
  std::string problems_of(const std::string& text) {
    try {
      (void)resolve_text(write(text));
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }
  std::string path_ = ::testing::TempDir() + "my-machine.toml";
};

TEST_F(ClusterFile, HoldsTheClusterItsDeviceAndWhatTheStackCosts) {
  const model::Scenario scenario = resolve_text(write(kCluster));
  EXPECT_EQ(scenario.cluster.name, "my-machine");
  EXPECT_EQ(scenario.cluster.title, "my machine");
  EXPECT_EQ(scenario.cluster.gpus_per_node, 2);
  EXPECT_EQ(scenario.cluster.device.title, "one core");
  EXPECT_EQ(scenario.cluster.device.batched_gemm.efficiency, 0.5);
  ASSERT_EQ(scenario.cluster.collective_points.size(), 2U);
  EXPECT_EQ(scenario.cluster.collective_points[1].bytes, Bytes{2000});
  EXPECT_DOUBLE_EQ(scenario.cluster.collective_points[1].time.value(), 8e-6);
  ASSERT_EQ(scenario.cluster.device.measured_kernels.size(), 2U);
  EXPECT_EQ(scenario.cluster.device.measured_kernels[1].kernel, hardware::Kernel::adam);
  EXPECT_EQ(scenario.stack.host.per_launch.value(), 0.0);
}

TEST_F(ClusterFile, ThatIsNotThereIsAProblemOfTheKey) {
  std::remove(path_.c_str());
  try {
    (void)resolve_text("model = \"gpt3-175b\"\ncluster = \"" + path_ + "\"\ntraining.micro_batch_size = 1\n");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(path_ + ": cannot be read"), std::string::npos) << error.what();
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_F(ClusterFile, MissingAndImpossibleValuesAreNamed) {
  EXPECT_NE(problems_of(replaced(kCluster, "memory_bandwidth = \"10 GB/s\"", "")).find("device.memory_bandwidth"),
            std::string::npos);
  EXPECT_NE(problems_of(replaced(kCluster, "\"5us\"", "\"-5us\"")).find("no measured collective"), std::string::npos);
  EXPECT_NE(problems_of(replaced(kCluster, "\"2000B\"", "\"500B\"")).find("must be larger than the point before"),
            std::string::npos);
  EXPECT_NE(problems_of(replaced(kCluster, "\"adam\"", "\"adamant\"")).find("no measured kernel"), std::string::npos);
  EXPECT_NE(problems_of(replaced(kCluster, "efficiency = 0.9", "efficiency = 9")).find("must be within"),
            std::string::npos);
  EXPECT_NE(problems_of("step 1, loss 3.2\n").find("is no valid TOML"), std::string::npos);
}

}  // namespace
}  // namespace shardsim::input::test
