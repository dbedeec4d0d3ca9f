#include "kernels/trainer/loss_scale.hpp"

#include <gtest/gtest.h>

namespace shardsim::kernels {
namespace {

LossScaleOptions dynamic() {
  LossScaleOptions options;
  options.initial = 1024.0;
  options.minimum = 256.0;
  options.window = 3;
  options.hysteresis = 2;
  return options;
}

TEST(LossScale, IsOneForFormatsOfFp32sRange) {
  LossScale scale{LossScaleOptions{}, false};
  EXPECT_FALSE(scale.dynamic());
  scale.update(true);
  EXPECT_DOUBLE_EQ(scale.value(), 1.0);
}

TEST(LossScale, HalvesWhenOverflowsUseUpTheHysteresis) {
  LossScale scale{dynamic(), true};
  scale.update(true);
  EXPECT_DOUBLE_EQ(scale.value(), 1024.0);
  scale.update(true);
  EXPECT_DOUBLE_EQ(scale.value(), 512.0);
  // The hysteresis comes back only with a doubling.
  scale.update(true);
  EXPECT_DOUBLE_EQ(scale.value(), 256.0);
  scale.update(true);
  EXPECT_DOUBLE_EQ(scale.value(), 256.0) << "below the minimum";
}

TEST(LossScale, DoublesAfterAWindowOfGoodIterations) {
  LossScale scale{dynamic(), true};
  scale.update(false);
  scale.update(false);
  scale.update(true);
  for (int i = 0; i < 2; ++i) scale.update(false);
  EXPECT_DOUBLE_EQ(scale.value(), 1024.0) << "an overflow starts the window anew";
  scale.update(false);
  EXPECT_DOUBLE_EQ(scale.value(), 2048.0);
}

TEST(LossScale, ComesBackFromACheckpoint) {
  LossScale first{dynamic(), true};
  first.update(true);
  first.update(false);
  LossScale second{dynamic(), true};
  second.restore(first.state());
  for (const bool overflow : {false, false, true, true, true}) {
    first.update(overflow);
    second.update(overflow);
    EXPECT_DOUBLE_EQ(second.value(), first.value());
  }
}

}  // namespace
}  // namespace shardsim::kernels
