// The GPU's row functors on CPU threads: with one lane, with three, and with more lanes than columns, against values
// computed here by the definition in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/gpu/columns.hpp"
#include "kernels/gpu/rows.hpp"
#include "tests/kernels/gpu/thread_lanes.hpp"

namespace shardsim::kernels::gpu {
namespace {

constexpr std::int64_t kRows = 6;
constexpr std::int64_t kColumns = 7;

/// Smooth, irregular numbers in (−1, 1).
std::vector<float> numbers(std::int64_t count, double phase) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(std::sin(1.7 * double(i) + phase)));
  return values;
}

View<const float> in(const std::vector<float>& values, std::int64_t rows, std::int64_t columns) {
  return {values.data(), rows, columns, columns};
}
View<float> out(std::vector<float>& values, std::int64_t rows, std::int64_t columns) {
  return {values.data(), rows, columns, columns};
}

class RowFunctors : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Lanes, RowFunctors, testing::Values(1, 3, 16));

TEST_P(RowFunctors, LayerNorm) {
  const std::vector<float> x = numbers(kRows * kColumns, 0.1);
  const std::vector<float> weight = numbers(kColumns, 0.4);
  const std::vector<float> bias = numbers(kColumns, 0.9);
  std::vector<float> y(x.size());
  std::vector<float> statistics(2 * kRows);
  run_rows(kRows, GetParam(),
           LayerNorm<float>{in(x, kRows, kColumns), in(weight, 1, kColumns), in(bias, 1, kColumns), 1e-5F,
                            out(y, kRows, kColumns), out(statistics, kRows, 2)});
  for (std::int64_t r = 0; r < kRows; ++r) {
    double mean = 0.0;
    for (std::int64_t c = 0; c < kColumns; ++c) mean += x[r * kColumns + c] / double(kColumns);
    double variance = 0.0;
    for (std::int64_t c = 0; c < kColumns; ++c) variance += std::pow(x[r * kColumns + c] - mean, 2) / double(kColumns);
    for (std::int64_t c = 0; c < kColumns; ++c) {
      const double expected = (x[r * kColumns + c] - mean) / std::sqrt(variance + 1e-5) * weight[c] + bias[c];
      EXPECT_NEAR(y[r * kColumns + c], expected, 2e-6);
    }
    EXPECT_NEAR(statistics[2 * r], mean, 1e-6);
  }
}

TEST_P(RowFunctors, LayerNormBackwardIsTheDerivativeOfTheForward) {
  // d/dx of Σ dy·y by central differences, in steps that fp32 resolves.
  std::vector<float> x = numbers(kColumns, 0.1);
  const std::vector<float> weight = numbers(kColumns, 0.4);
  const std::vector<float> bias(kColumns, 0.0F);
  const std::vector<float> dy = numbers(kColumns, 2.0);
  std::vector<float> y(kColumns);
  std::vector<float> statistics(2);
  const auto loss = [&](std::int64_t moved, float by) {
    std::vector<float> shifted = x;
    shifted[moved] += by;
    run_rows(1, 1,
             LayerNorm<float>{in(shifted, 1, kColumns), in(weight, 1, kColumns), in(bias, 1, kColumns), 1e-5F,
                              out(y, 1, kColumns), out(statistics, 1, 2)});
    double sum = 0.0;
    for (std::int64_t c = 0; c < kColumns; ++c) sum += double(dy[c]) * y[c];
    return sum;
  };
  loss(0, 0.0F);  // leaves the statistics of x
  std::vector<float> dx(kColumns);
  run_rows(1, GetParam(),
           LayerNormBackward<float>{in(dy, 1, kColumns), in(x, 1, kColumns), in(weight, 1, kColumns),
                                    in(statistics, 1, 2), out(dx, 1, kColumns)});
  for (std::int64_t c = 0; c < kColumns; ++c) {
    constexpr float kStep = 1e-2F;
    const double slope = (loss(c, kStep) - loss(c, -kStep)) / (2.0 * kStep);
    EXPECT_NEAR(dx[c], slope, 2e-3) << "column " << c;
  }
}

TEST_P(RowFunctors, MaskedSoftmaxAndItsGradient) {
  const std::vector<float> scores = numbers(kRows * kColumns, 0.3);
  const AttentionShape shape{1, 1, 0, kRows, kColumns, true, nullptr};
  std::vector<float> p(scores.size(), -1.0F);
  run_rows(kRows, GetParam(),
           MaskedSoftmax<float>{in(scores, kRows, kColumns), shape, 0.5F, out(p, kRows, kColumns)});
  const std::vector<float> dp = numbers(kRows * kColumns, 1.1);
  std::vector<float> ds(scores.size(), -1.0F);
  run_rows(kRows, GetParam(),
           MaskedSoftmaxBackward<float>{in(dp, kRows, kColumns), in(p, kRows, kColumns), shape, 0.5F,
                                        out(ds, kRows, kColumns)});
  for (std::int64_t r = 0; r < kRows; ++r) {
    const std::int64_t keys = r + 2;  // 6 queries over 7 keys
    double sum = 0.0;
    for (std::int64_t c = 0; c < keys; ++c) sum += std::exp(0.5 * scores[r * kColumns + c]);
    double projected = 0.0;
    for (std::int64_t c = 0; c < keys; ++c) {
      projected += std::exp(0.5 * scores[r * kColumns + c]) / sum * dp[r * kColumns + c];
    }
    for (std::int64_t c = 0; c < kColumns; ++c) {
      const double expected = c < keys ? std::exp(0.5 * scores[r * kColumns + c]) / sum : 0.0;
      EXPECT_NEAR(p[r * kColumns + c], expected, 1e-6);
      EXPECT_NEAR(ds[r * kColumns + c], c < keys ? 0.5 * expected * (dp[r * kColumns + c] - projected) : 0.0, 1e-6);
    }
  }
}

TEST_P(RowFunctors, CrossEntropyOfAShard) {
  // Columns are ids 10 … 16; the first target lies in the shard, the others do not.
  std::vector<float> logits = numbers(2 * kColumns, 0.7);
  const std::vector<float> original = logits;
  std::vector<float> maximum(2);
  run_rows(2, GetParam(), RowMaximum{in(logits, 2, kColumns), maximum.data()});
  const std::int32_t targets[] = {12, 3};
  std::vector<float> sum(2);
  std::vector<float> target(2, 99.0F);
  run_rows(2, GetParam(), Exponentiate{out(logits, 2, kColumns), maximum.data(), targets, 10, sum.data(),
                                       target.data()});
  for (std::int64_t r = 0; r < 2; ++r) {
    float largest = original[r * kColumns];
    double expected = 0.0;
    for (std::int64_t c = 0; c < kColumns; ++c) largest = std::max(largest, original[r * kColumns + c]);
    for (std::int64_t c = 0; c < kColumns; ++c) expected += std::exp(double(original[r * kColumns + c]) - largest);
    EXPECT_EQ(maximum[r], largest);
    EXPECT_NEAR(sum[r], expected, 1e-5);
  }
  EXPECT_FLOAT_EQ(target[0], original[2] - maximum[0]);
  EXPECT_EQ(target[1], 0.0F);
}

TEST_P(RowFunctors, EmbeddingBackwardAddsRepeatedIdsOnce) {
  // ids 4, 6, 4, 9 over a shard of ids 4 … 6; id 9 belongs to another shard.
  const std::int32_t ids[] = {4, 6, 4, 9};
  const std::vector<float> dy = {1, 2, 10, 20, 100, 200, 1000, 2000};
  std::vector<float> table = {0.5F, 0.5F, 0, 0, 0, 0};
  run_rows(4, GetParam(), EmbeddingBackward<float, float>{ids, in(dy, 4, 2), 4, out(table, 3, 2)});
  EXPECT_EQ(table, (std::vector<float>{101.5F, 202.5F, 0, 0, 10, 20}));
}

TEST(ColumnFunctors, NormWeightGradient) {
  // x = (1, 3) with mean 2 and 1/σ = 1: normalised (−1, 1); dy = (5, 7).
  const std::vector<float> x = {1, 3};
  const std::vector<float> dy = {5, 7};
  const std::vector<float> statistics = {2, 1};
  const NormWeightGradient<float> gradient{in(dy, 1, 2), in(x, 1, 2), in(statistics, 1, 2)};
  EXPECT_EQ(gradient(0, 0), -5.0F);
  EXPECT_EQ(gradient(0, 1), 7.0F);
}

}  // namespace
}  // namespace shardsim::kernels::gpu
