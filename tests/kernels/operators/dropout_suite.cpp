// Dropout: which elements are kept, and what becomes of them.
#include <cmath>

#include "tests/kernels/operators/harness.hpp"

namespace shardsim::kernels::test {
namespace {

DropoutSite site_of(std::int64_t sequences, double probability = 0.1) {
  return {0x0123456789ABCDEFULL, probability, 5, sequences, 2, 3};
}

TEST_P(BackendTest, DropsAsTheReference) {
  for (const auto& [rows, width] : kShapes) {
    const Values x = random_values(rows, width, 1);
    const Values bias = random_values(1, width, 2);
    const Values residual = random_values(rows, width, 3);
    for (const double probability : {0.0, 0.1, 0.5}) {
      expect_equal([&](Device& d) {
        Backend& backend = d.backend();
        const DropoutSite site = site_of(3, probability);
        std::uint8_t* mask = d.bytes(rows * width);
        std::uint8_t* other = d.bytes(rows * width);
        const Matrix y = d.put(x);
        const Matrix without = d.zeros(rows, width);
        const Matrix alone = d.put(x);
        const Matrix untouched = d.zeros(rows, width);
        backend.bias_dropout_add(y, d.put(bias), d.put(residual), site, y, mask);
        backend.bias_dropout_add(d.put(x), d.put(bias), d.put(residual), site, without, nullptr);
        backend.dropout(alone, site, alone, other);
        backend.dropout(d.put(x), site, untouched, nullptr);
        const Matrix dx = d.put(residual);
        backend.dropout_backward(dx, mask, probability, dx);
        return std::vector{d.get(y),
                           d.get(mask, rows * width),
                           d.get(other, rows * width),
                           d.get(alone),
                           d.get(without),
                           d.get(untouched),
                           d.get(dx)};
      });
    }
  }
}

/// Masks of `site` for ones of [rows, columns].
Values kept(Device& d, const DropoutSite& site, std::int64_t rows, std::int64_t columns) {
  std::uint8_t* mask = d.bytes(rows * columns);
  d.backend().dropout(d.zeros(rows, columns), site, d.zeros(rows, columns), mask);
  Values result = d.get(mask, rows * columns);
  result.rows = rows;
  result.columns = columns;
  return result;
}

TEST_P(BackendTest, DropsAtTheRate) {
  Device d = subject();
  constexpr std::int64_t kRows = 300, kColumns = 1000;
  for (const double probability : {0.1, 0.5, 0.9}) {
    const Values mask = kept(d, site_of(3, probability), kRows, kColumns);
    double count = 0.0;
    double pairs = 0.0;
    for (std::size_t i = 0; i < mask.data.size(); ++i) {
      count += mask.data[i];
      pairs += mask.data[i] * mask.data[(i + 1) % mask.data.size()];
    }
    // Five standard deviations of a binomial distribution.
    const double n = kRows * kColumns;
    const double q = 1.0 - probability;
    EXPECT_NEAR(count / n, q, 5.0 * std::sqrt(probability * q / n)) << probability;
    EXPECT_NEAR(pairs / n, q * q, 5.0 * std::sqrt(2.0 * q * q / n)) << "neighbours depend on each other";
  }
}

TEST_P(BackendTest, DropsTheSameElementsInEveryLayout) {
  Device d = subject();
  constexpr std::int64_t kPositions = 6, kSamples = 4, kColumns = 50;
  DropoutSite whole = site_of(kSamples, 0.5);
  const Values mask = kept(d, whole, kPositions * kSamples, kColumns);
  for (std::int64_t sample = 0; sample < kSamples; sample += 2) {            // micro batches of two
    for (std::int64_t position = 0; position < kPositions; position += 3) {  // sequence parallel
      for (std::int64_t column = 0; column < kColumns; column += 25) {       // tensor parallel, off multiples of 4
        DropoutSite part = whole;
        part.first_sample += sample;
        part.sequences = 2;
        part.first_position += position;
        part.first_column += column;
        const Values mine = kept(d, part, 3 * 2, 25);
        for (std::int64_t r = 0; r < 6; ++r) {
          for (std::int64_t c = 0; c < 25; ++c) {
            ASSERT_EQ(mine(r, c), mask((position + r / 2) * kSamples + sample + r % 2, column + c));
          }
        }
      }
    }
  }
}

TEST_P(BackendTest, DropsOtherElementsAtOtherSites) {
  Device d = subject();
  const DropoutSite site = site_of(2, 0.5);
  const Values mask = kept(d, site, 8, 100);
  DropoutSite other_key = site;
  other_key.key += 1;
  DropoutSite other_sample = site;
  other_sample.first_sample += std::int64_t{1} << 32;
  for (const DropoutSite& other : {other_key, other_sample}) {
    const Values mine = kept(d, other, 8, 100);
    double equal = 0.0;
    for (std::size_t i = 0; i < 800; ++i) equal += mine.data[i] == mask.data[i] ? 1.0 : 0.0;
    EXPECT_NEAR(equal, 400.0, 5.0 * std::sqrt(200.0));
  }
}

}  // namespace
}  // namespace shardsim::kernels::test
