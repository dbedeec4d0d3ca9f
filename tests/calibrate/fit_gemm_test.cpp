#include "calibrate/fit/fit_gemm.hpp"

#include <gtest/gtest.h>

namespace shardsim::calibrate {
namespace {

using hardware::Device;
using hardware::GemmProfile;
using model::DType;
using model::Pass;

GemmProfile& bf16(Device& device) { return device.gemm[static_cast<std::size_t>(DType::bf16)]; }

Device unknown_device() {
  Device device;
  device.memory_bandwidth = BytesPerSecond{2e12};
  device.multiprocessors = 108;
  device.kernel_latency = Seconds{1e-6};
  bf16(device).peak = FlopsPerSecond{300e12};
  return device;
}

/// What the true device would take for a sweep of shapes.
std::vector<GemmSample> measure(const Device& truth) {
  std::vector<GemmSample> samples;
  for (const std::int64_t m : {1024, 1536, 2304, 4096, 8192}) {
    for (const std::int64_t n : {1024, 1920, 3200, 5248}) {
      for (const std::int64_t k : {1024, 2048, 6144}) {
        GemmSample sample;
        sample.origin = {"gemm.csv", static_cast<int>(samples.size()) + 2, ""};
        sample.m = m;
        sample.n = n;
        sample.k = k;
        sample.time = predicted(truth, DType::bf16, Pass::forward, sample);
        samples.push_back(sample);
      }
    }
  }
  return samples;
}

std::string message_for(const std::vector<GemmSample>& samples) {
  try {
    (void)fit_gemm(unknown_device(), DType::bf16, samples, "gpu.gemm.bf16");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FitGemm, RecoversASmoothProfile) {
  Device truth = unknown_device();
  bf16(truth).efficiency = 0.8;
  bf16(truth).m_half = 120;
  bf16(truth).n_half = 60;
  bf16(truth).k_half = 250;
  const GemmFit fit = fit_gemm(unknown_device(), DType::bf16, measure(truth), "gpu");
  EXPECT_NEAR(fit.profile.efficiency, 0.8, 0.002);
  EXPECT_NEAR(fit.profile.m_half, 120, 2);
  EXPECT_NEAR(fit.profile.n_half, 60, 2);
  EXPECT_NEAR(fit.profile.k_half, 250, 3);
  EXPECT_EQ(fit.profile.tile_m, 0);
  EXPECT_LT(fit.quality.p90, 1e-3);
  EXPECT_EQ(fit.quality.held_out, 20U);  // of 60
}

// Tiles of one area make the same waves of these shapes, whichever way they lie.
TEST(FitGemm, ChoosesTheTilesThatMadeTheWaves) {
  Device truth = unknown_device();
  bf16(truth).efficiency = 0.9;
  bf16(truth).k_half = 100;
  bf16(truth).tile_m = 256;
  bf16(truth).tile_n = 128;
  const GemmFit fit = fit_gemm(unknown_device(), DType::bf16, measure(truth), "gpu");
  EXPECT_EQ(fit.profile.tile_m * fit.profile.tile_n, 256 * 128);
  EXPECT_LT(fit.quality.p90, 1e-3);
  EXPECT_NEAR(fit.profile.efficiency, 0.9, 0.003);
  EXPECT_NEAR(fit.profile.k_half, 100, 3);
}

TEST(FitGemm, FactorOfAnotherLayout) {
  Device truth = unknown_device();
  bf16(truth).efficiency = 0.8;
  auto samples = measure(truth);
  for (GemmSample& sample : samples) sample.time = 1.25 * sample.time;
  EXPECT_DOUBLE_EQ(layout_factor(truth, DType::bf16, samples), 1.25);
}

TEST(FitGemm, RefusesTooFewSamples) {
  EXPECT_EQ(message_for({}), "gpu.gemm.bf16: 0 samples of training's sizes, but a fit needs 12");
}

// 2·1024³ FLOP in 1 us = 2147 TFLOP/s.
TEST(FitGemm, RefusesMoreThanThePeak) {
  Device truth = unknown_device();
  bf16(truth).efficiency = 0.8;
  auto samples = measure(truth);
  samples[0].time = Seconds{1e-6};
  EXPECT_EQ(message_for(samples), "gemm.csv:2: time_us = 1.000000: impossible: 2147 TFLOP/s, the peak is 300");
}

TEST(FitGemm, RefusesContradictions) {
  Device truth = unknown_device();
  bf16(truth).efficiency = 0.8;
  auto samples = measure(truth);
  samples.push_back(samples[0]);
  samples.back().origin.line = 99;
  samples.back().time = 4.0 * samples[0].time;
  const std::string message = message_for(samples);
  EXPECT_EQ(message.rfind("gemm.csv:99: time_us = ", 0), 0U) << message;
  EXPECT_NE(message.find("contradicts the same product in line 2"), std::string::npos) << message;
}

}  // namespace
}  // namespace shardsim::calibrate
