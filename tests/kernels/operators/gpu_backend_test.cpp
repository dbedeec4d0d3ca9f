// The GPU's operators against the reference; skipped, with the reason, where there is no GPU.
#include "kernels/gpu/cuda_backend.hpp"
#include "kernels/gpu/errors.hpp"
#include "tests/kernels/operators/harness.hpp"

namespace shardsim::kernels::test {
namespace {

/// Why there is no GPU; empty where there is one.
std::string missing_gpu() {
  try {
    return gpu::device_count() > 0 ? "" : "no GPU";
  } catch (const gpu::DeviceError& error) {
    return error.what();
  }
}

/// Tolerances by the rounding of the format: 2⁻²⁴ and 2⁻⁹, times the operations of a kernel and of a long sum.
std::vector<Subject> subjects() {
  const auto make = [] { return gpu::make_cuda_backend(0); };
  return {Subject{"gpu_fp32", make, DType::fp32, 4e-6, 2e-5, missing_gpu()},
          Subject{"gpu_bf16", make, DType::bf16, 1e-2, 2e-2, missing_gpu()}};
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Gpu, BackendTest, testing::ValuesIn(subjects()));

// A program built for GPUs starts without a driver, and says what is missing.
TEST(Gpu, AbsentDriverIsNamed) {
  const std::string reason = missing_gpu();
  if (reason.empty()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_NE(reason.find("no usable NVIDIA driver or GPU"), std::string::npos) << reason;
}

}  // namespace shardsim::kernels::test
