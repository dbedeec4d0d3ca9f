#include "calibrate/fit/fit_attention.hpp"

#include <gtest/gtest.h>

namespace shardsim::calibrate {
namespace {

/// 100 TFLOP/s without latency.
hardware::Device unknown_device() {
  hardware::Device device;
  device.memory_bandwidth = BytesPerSecond{1e12};
  device.multiprocessors = 100;
  for (auto& format : device.gemm) format.peak = FlopsPerSecond{100e12};
  return device;
}

/// Efficiency 0.8 forward and 0.6 backward, both halved at 500 keys and at heads of 32.
AttentionSample kernel(AttentionPass pass, std::int64_t keys, std::int64_t head) {
  AttentionSample sample;
  sample.origin = {"attention.csv", 7, ""};
  sample.pass = pass;
  sample.causal = true;
  sample.m = sample.n = keys;
  sample.k = head;
  sample.batch = 256;
  const double saturated = static_cast<double>(keys) / static_cast<double>(keys + 500) * static_cast<double>(head) /
                           static_cast<double>(head + 32);
  // One of 3.5 parts is the forward.
  const double slowness = pass == AttentionPass::forward ? 1.0 / 0.8 : (1.0 / 0.8 + 2.5 / 0.6) / 3.5;
  sample.time = Seconds{sample.work().value() * slowness / (100e12 * saturated)};
  return sample;
}

AttentionSamples sweep() {
  AttentionSamples samples;
  for (const std::int64_t keys : {512, 1024, 2048, 4096, 8192, 16384}) {
    for (const std::int64_t head : {64, 128}) {
      samples.forward.push_back(kernel(AttentionPass::forward, keys, head));
      samples.backward.push_back(kernel(AttentionPass::both, keys, head));
    }
  }
  return samples;
}

TEST(FitAttention, RecoversForwardBackwardAndSaturation) {
  const AttentionFit fit = fit_attention(unknown_device(), sweep(), "gpu");
  EXPECT_NEAR(fit.profile.forward_efficiency, 0.8, 0.002);
  EXPECT_NEAR(fit.profile.backward_efficiency, 0.6, 0.002);
  EXPECT_NEAR(fit.profile.sequence_half, 500, 2);
  EXPECT_NEAR(fit.profile.head_half, 32, 0.3);
  EXPECT_LT(fit.quality.p90, 1e-3);
}

TEST(FitAttention, BackwardThatWasNotMeasuredFollowsARatio) {
  AttentionSamples samples = sweep();
  samples.backward.clear();
  samples.backward_over_forward = 0.5;
  EXPECT_NEAR(fit_attention(unknown_device(), samples, "gpu").profile.backward_efficiency, 0.4, 0.002);
}

TEST(FitAttention, RefusesTooFewAndTooFast) {
  EXPECT_THROW((void)fit_attention(unknown_device(), {}, "gpu"), InputError);
  AttentionSamples samples = sweep();
  samples.forward[3].time = Seconds{1e-9};
  EXPECT_THROW((void)fit_attention(unknown_device(), samples, "gpu"), InputError);
}

TEST(FitAttention, OnlyCausalKernelsThatFillTheDevice) {
  AttentionSample sample = kernel(AttentionPass::forward, 2048, 64);
  EXPECT_TRUE(is_training_like(sample, 100));
  sample.causal = false;
  EXPECT_FALSE(is_training_like(sample, 100));
  sample.causal = true;
  sample.batch = 24;  // 16 blocks each: 384 of the 400 that are wanted
  EXPECT_FALSE(is_training_like(sample, 100));
  sample.batch = 25;
  EXPECT_TRUE(is_training_like(sample, 100));
  sample.time = Seconds{99e-6};
  EXPECT_FALSE(is_training_like(sample, 100));
}

}  // namespace
}  // namespace shardsim::calibrate
