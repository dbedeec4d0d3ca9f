// NCCL on one GPU, where there is one; without a driver, that it says so.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels/communicator/nccl_communicator.hpp"

namespace shardsim::kernels {
namespace {

bool has_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

TEST(Nccl, SaysThatThereIsNoGpu) {
  if (has_gpu()) GTEST_SKIP() << "there is one";
  Watchdog watchdog{Seconds{60.0}, [](const std::string&) {}};
  EXPECT_THROW((void)make_nccl_communicator(LaunchEnvironment{}, nullptr, watchdog), CommunicatorError);
}

TEST(Nccl, AGroupOfOneGivesBackWhatItGets) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  Watchdog watchdog{Seconds{60.0}, [](const std::string&) {}};
  const auto world = make_nccl_communicator(LaunchEnvironment{}, nullptr, watchdog);
  EXPECT_EQ(world->size(), 1);
  EXPECT_EQ(world->all_reduce_value(2.5, Reduction::sum), 2.5);
  EXPECT_EQ(world->split(-1, 0), nullptr);
  const auto again = world->split(0, 0);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 2 * 4 * sizeof(float)), cudaSuccess);
  const std::vector<float> values = {1.0F, 2.0F, 3.0F, 4.0F};
  ASSERT_EQ(cudaMemcpy(memory, values.data(), 16, cudaMemcpyHostToDevice), cudaSuccess);
  const Matrix first{memory, DType::fp32, 1, 4, 4};
  const Matrix second{static_cast<float*>(memory) + 4, DType::fp32, 1, 4, 4};
  again->all_reduce(first, Reduction::sum);
  again->start_all_gather(first, second)->wait();
  again->barrier();
  std::vector<float> back(4);
  ASSERT_EQ(cudaMemcpy(back.data(), second.data, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(back, values);
  cudaFree(memory);
}

}  // namespace
}  // namespace shardsim::kernels
