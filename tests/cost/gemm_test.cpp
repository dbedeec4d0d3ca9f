#include "sim/cost/gemm.hpp"

#include <gtest/gtest.h>

#include "sim/base/check.hpp"

namespace shardsim::cost {
namespace {

using hardware::Device;
using hardware::GemmProfile;
using model::DType;
using model::Pass;
using model::Shape;

/// 1e12 FLOP/s bf16 at 50 %, 1e9 B/s, 1 ms per kernel: round numbers instead of a real GPU.
Device device() {
  Device device;
  device.memory_bandwidth = BytesPerSecond{1e9};
  device.kernel_latency = Seconds{1e-3};
  device.multiprocessors = 10;
  GemmProfile& bf16 = device.gemm[static_cast<std::size_t>(DType::bf16)];
  bf16.peak = FlopsPerSecond{1e12};
  bf16.efficiency = 0.5;
  return device;
}

TEST(Gemm, RooflineIsTheSlowerOfComputeAndMemory) {
  EXPECT_DOUBLE_EQ(roofline(Flops{6.0}, FlopsPerSecond{2.0}, Bytes{8}, BytesPerSecond{4.0}).value(), 3.0);
  EXPECT_DOUBLE_EQ(roofline(Flops{6.0}, FlopsPerSecond{2.0}, Bytes{80}, BytesPerSecond{4.0}).value(), 20.0);
}

TEST(Gemm, SaturationIsOneHalfAtHalf) {
  EXPECT_DOUBLE_EQ(saturation(128, 128), 0.5);
  EXPECT_DOUBLE_EQ(saturation(384, 128), 0.75);
  EXPECT_DOUBLE_EQ(saturation(5, 0), 1.0);
}

// m = 192 on tiles of 128 fills 192/256, n = 256 fills 2 whole tiles: 0.75. Tiles: 2·2 = 4 of 10 multiprocessors;
// with batch 3: 12 tiles in 2 waves of 10 = 0.6.
TEST(Gemm, TilesAndWaves) {
  GemmProfile profile;
  const Shape shape{192, 256, 64, 1};
  EXPECT_DOUBLE_EQ(tile_efficiency(profile, shape), 1.0);
  EXPECT_DOUBLE_EQ(wave_efficiency(profile, 10, shape), 1.0);
  profile.tile_m = 128;
  profile.tile_n = 128;
  EXPECT_DOUBLE_EQ(tile_efficiency(profile, shape), 0.75);
  EXPECT_DOUBLE_EQ(wave_efficiency(profile, 10, shape), 0.4);
  EXPECT_DOUBLE_EQ(wave_efficiency(profile, 10, {192, 256, 64, 3}), 0.6);
}

TEST(Gemm, AnyDimensionOffEightIsMisaligned) {
  GemmProfile profile;
  profile.misaligned_slowdown = 2.0;
  EXPECT_DOUBLE_EQ(alignment_slowdown(profile, {8, 16, 24, 1}), 1.0);
  EXPECT_DOUBLE_EQ(alignment_slowdown(profile, {9, 16, 24, 1}), 2.0);
  EXPECT_DOUBLE_EQ(alignment_slowdown(profile, {8, 17, 24, 1}), 2.0);
  EXPECT_DOUBLE_EQ(alignment_slowdown(profile, {8, 16, 25, 1}), 2.0);
}

// Rows of a batch fill the device together: m·batch = 512 of half 512 is 0.5; k = 64 of half 64 is 0.5: 0.5·0.5·0.5.
TEST(Gemm, EfficiencyIsAProduct) {
  Device gpu = device();
  GemmProfile profile = gemm_profile(gpu, DType::bf16);
  profile.m_half = 512;
  profile.k_half = 64;
  EXPECT_DOUBLE_EQ(gemm_efficiency(gpu, profile, {128, 128, 64, 4}), 0.125);
}

// 1e9 FLOP at 0.5e12 FLOP/s = 2 ms; 1e6 B at 1e9 B/s = 1 ms; 1 ms of latency: 3 ms. With 4e6 B memory wins: 5 ms.
TEST(Gemm, Time) {
  const auto time = [](std::int64_t bytes) {
    return gemm_time(device(), DType::bf16, Pass::forward, {8, 8, 8, 1}, Flops{1e9}, Bytes{bytes}).value();
  };
  EXPECT_DOUBLE_EQ(time(1'000'000), 3e-3);
  EXPECT_DOUBLE_EQ(time(4'000'000), 5e-3);
}

// 2 ms of compute: 1.5 and 2 times that by layout, their mean for both at once, and twice all at sustained clocks.
TEST(Gemm, LayoutsAndSustainedClocksSlowTheComputing) {
  Device gpu = device();
  GemmProfile& bf16 = gpu.gemm[static_cast<std::size_t>(DType::bf16)];
  bf16.input_gradient_slowdown = 1.5;
  bf16.weight_gradient_slowdown = 2.0;
  const auto time = [&gpu](Pass pass) {
    return gemm_time(gpu, DType::bf16, pass, {8, 8, 8, 1}, Flops{1e9}, Bytes{0}).value();
  };
  EXPECT_DOUBLE_EQ(time(Pass::recompute), 3e-3);
  EXPECT_DOUBLE_EQ(time(Pass::input_gradient), 4e-3);
  EXPECT_DOUBLE_EQ(time(Pass::weight_gradient), 5e-3);
  EXPECT_DOUBLE_EQ(time(Pass::backward), 4.5e-3);
  gpu.sustained_slowdown = 2.0;
  EXPECT_DOUBLE_EQ(time(Pass::forward), 5e-3);
  EXPECT_DOUBLE_EQ(time(Pass::input_gradient), 7e-3);
}

TEST(Gemm, AFormatWithoutMatrixUnitsIsABug) {
  EXPECT_THROW((void)gemm_time(device(), DType::fp8, Pass::forward, {8, 8, 8, 1}, Flops{1.0}, Bytes{1}), Bug);
}

}  // namespace
}  // namespace shardsim::cost
