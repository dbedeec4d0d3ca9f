#include "kernels/trainer/learning_rate.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace shardsim::kernels {
namespace {

/// max 1, min 0.2, 4 iterations of warm-up, minimum after 12.
LearningRate schedule(LearningRateDecay decay) { return {1.0, 0.2, decay, 4, 12}; }

TEST(LearningRate, WarmsUpFromZero) {
  EXPECT_DOUBLE_EQ(schedule(LearningRateDecay::linear).at(0), 0.0);
  EXPECT_DOUBLE_EQ(schedule(LearningRateDecay::cosine).at(3), 0.75);
  EXPECT_DOUBLE_EQ(schedule(LearningRateDecay::constant).at(4), 1.0);
}

TEST(LearningRate, StartsAtTheMaximumWithoutWarmUp) {
  EXPECT_DOUBLE_EQ((LearningRate{1.0, 0.0, LearningRateDecay::linear, 0, 10}.at(0)), 1.0);
}

TEST(LearningRate, Decays) {
  // A quarter of the way from 4 to 12: linear 1 − 0.25·0.8, cosine 0.2 + 0.5·(1 + cos π/4)·0.8.
  EXPECT_DOUBLE_EQ(schedule(LearningRateDecay::linear).at(6), 0.8);
  EXPECT_DOUBLE_EQ(schedule(LearningRateDecay::cosine).at(6), 0.2 + 0.4 * (1.0 + std::sqrt(0.5)));
  EXPECT_DOUBLE_EQ(schedule(LearningRateDecay::constant).at(100), 1.0);
  // √4/√9.
  EXPECT_DOUBLE_EQ(schedule(LearningRateDecay::inverse_square_root).at(9), 2.0 / 3.0);
}

TEST(LearningRate, StaysAtTheMinimum) {
  for (const auto decay : {LearningRateDecay::linear, LearningRateDecay::cosine}) {
    EXPECT_DOUBLE_EQ(schedule(decay).at(12), 0.2);
    EXPECT_DOUBLE_EQ(schedule(decay).at(13), 0.2);
  }
  EXPECT_DOUBLE_EQ(schedule(LearningRateDecay::inverse_square_root).at(13), 0.2);
}

}  // namespace
}  // namespace shardsim::kernels
