// The GPU's element functors on the CPU, against definitions and against the generator asked element by element.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/gpu/dropout.hpp"
#include "kernels/gpu/elementwise.hpp"
#include "kernels/gpu/optimizer.hpp"

namespace shardsim::kernels::gpu {
namespace {

// Φ by the tanh form at 1: 0.5·(1 + tanh(0.79788456·1.044715)) = 0.841192 (Hendrycks & Gimpel 2016).
TEST(Gelu, ValueAndDerivative) {
  EXPECT_NEAR(gelu(1.0F), 0.841192F, 1e-6F);
  EXPECT_EQ(gelu(0.0F), 0.0F);
  for (const float x : {-3.0F, -0.7F, 0.0F, 0.2F, 1.5F}) {
    constexpr float kStep = 1e-2F;
    EXPECT_NEAR(gelu_derivative(x), (gelu(x + kStep) - gelu(x - kStep)) / (2.0F * kStep), 1e-4F) << x;
  }
}

TEST(Elementwise, StridesAndMissingBias) {
  // A 2×2 window of a 2×3 matrix.
  const std::vector<float> x = {1, 2, 9, 3, 4, 9};
  std::vector<float> y(6, -1.0F);
  const BiasGelu<float> functor{{x.data(), 2, 2, 3}, {}, {y.data(), 2, 2, 3}};
  for (std::int64_t r = 0; r < 2; ++r) {
    for (std::int64_t c = 0; c < 2; ++c) functor(r, c);
  }
  EXPECT_EQ(y, (std::vector<float>{gelu(1), gelu(2), -1, gelu(3), gelu(4), -1}));
}

TEST(Elementwise, EmbeddingOutsideTheShardIsZero) {
  const std::vector<float> table = {1, 2, 3, 4};  // ids 5 and 6
  const std::int32_t ids[] = {6, 4, 7};
  std::vector<float> y(6, 9.0F);
  const Embed<float, false> functor{ids, {table.data(), 2, 2, 2}, 5, {y.data(), 3, 2, 2}};
  for (std::int64_t r = 0; r < 3; ++r) {
    for (std::int64_t c = 0; c < 2; ++c) functor(r, c);
  }
  EXPECT_EQ(y, (std::vector<float>{3, 4, 0, 0, 0, 0}));
}

TEST(Elementwise, RowsMoveThereAndBack) {
  const std::vector<float> from = {1, 2, 3};
  const std::int32_t rows[] = {2, 0};
  std::vector<float> picked(2);
  for (std::int64_t r = 0; r < 2; ++r) MoveRows<float, false>{{from.data(), 3, 1, 1}, rows, {picked.data(), 2, 1, 1}}(r, 0);
  EXPECT_EQ(picked, (std::vector<float>{3, 1}));
  std::vector<float> to = {10, 20, 30};
  for (std::int64_t r = 0; r < 2; ++r) MoveRows<float, true>{{picked.data(), 2, 1, 1}, rows, {to.data(), 3, 1, 1}}(r, 0);
  EXPECT_EQ(to, (std::vector<float>{11, 20, 33}));
}

/// Columns 6 of a row that starts at whole column `first`: groups that straddle the generator's as well as not.
class DropoutGroups : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(FirstColumn, DropoutGroups, testing::Values(0, 4, 3));

TEST_P(DropoutGroups, EveryElementHasItsOwnBits) {
  constexpr std::int64_t kRows = 4;
  constexpr std::int64_t kColumns = 6;
  const DropoutSite site{77, 0.5, 3, 2, 1, GetParam()};
  const std::vector<float> x(kRows * kColumns, 1.0F);
  const std::vector<float> bias(kColumns, 0.5F);
  const std::vector<float> residual(kRows * kColumns, 10.0F);
  std::vector<float> y(x.size());
  std::vector<std::uint8_t> mask(x.size(), 7);
  const std::uint32_t threshold = drop_threshold(site.probability);
  const BiasDropoutAdd<float> functor{{x.data(), kRows, kColumns, kColumns},
                                      {bias.data(), 1, kColumns, kColumns},
                                      {residual.data(), kRows, kColumns, kColumns},
                                      site,
                                      threshold,
                                      {y.data(), kRows, kColumns, kColumns},
                                      mask.data()};
  for (std::int64_t r = 0; r < kRows; ++r) {
    for (std::int64_t g = 0; g < column_groups(kColumns); ++g) functor(r, g);
  }
  int kept = 0;
  for (std::int64_t r = 0; r < kRows; ++r) {
    for (std::int64_t c = 0; c < kColumns; ++c) {
      const bool expected = random_word(activation_row(site, r), static_cast<std::uint32_t>(c)) >= threshold;
      EXPECT_EQ(mask[r * kColumns + c], expected ? 1 : 0);
      EXPECT_EQ(y[r * kColumns + c], expected ? 13.0F : 10.0F);  // (1 + 0.5)·2
      kept += expected ? 1 : 0;
    }
  }
  EXPECT_GT(kept, 4);
  EXPECT_LT(kept, 20);
}

TEST(Dropout, BackwardScalesWhatWasKept) {
  const std::vector<float> dy = {2, 3};
  const std::uint8_t mask[] = {1, 0};
  std::vector<float> dx(2, 9.0F);
  const DropoutBackward<float> functor{{dy.data(), 1, 2, 2}, mask, 2.0F, {dx.data(), 1, 2, 2}};
  functor(0, 0);
  functor(0, 1);
  EXPECT_EQ(dx, (std::vector<float>{4, 0}));
}

// First step, β₁ = 0.9, β₂ = 0.99, g = 2·0.5 = 1: m = 0.1, v = 0.01, corrected both 1, update = 1/(1 + 0) -> 3·(1 − lr·wd)
// − lr = 3·0.99 − 0.1 = 2.87.
TEST(Adam, FirstStepByHand) {
  const float gradient[] = {2.0F};
  float master = 3.0F;
  float m = 0.0F;
  float v = 0.0F;
  float weight = 0.0F;
  const AdamConstants constants{0.1F, 0.9F, 0.99F, 0.0F, 0.1F, 0.5F, 1.0F / (1.0F - 0.9F), 1.0F / (1.0F - 0.99F)};
  Adam<float, float>{gradient, constants, &master, &m, &v, &weight}(0, 0);
  EXPECT_NEAR(m, 0.1F, 1e-7F);
  EXPECT_NEAR(v, 0.01F, 1e-8F);
  EXPECT_NEAR(master, 2.87F, 1e-5F);
  EXPECT_EQ(weight, master);
}

}  // namespace
}  // namespace shardsim::kernels::gpu
