#include <algorithm>

#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/masks.hpp"
#include "kernels/cpu/rows.hpp"

namespace shardsim::kernels {

void fill_mask(const RandomRow& row, std::uint32_t threshold, std::int64_t columns, std::uint8_t* mask) {
  // A block of groups at a time: the loop over groups is the vector.
  constexpr std::uint32_t kGroups = 64;
  std::uint8_t kept[4 * kGroups];
  const std::uint32_t end = row.first_column + static_cast<std::uint32_t>(columns);
  for (std::uint32_t group = row.first_column / 4; group * 4 < end; group += kGroups) {
    std::uint8_t words[4][kGroups];
#pragma omp simd
    for (std::uint32_t g = 0; g < kGroups; ++g) {
      const RandomBits bits = random_group(row, group + g);
      words[0][g] = bits.word[0] >= threshold ? 1 : 0;
      words[1][g] = bits.word[1] >= threshold ? 1 : 0;
      words[2][g] = bits.word[2] >= threshold ? 1 : 0;
      words[3][g] = bits.word[3] >= threshold ? 1 : 0;
    }
    for (std::uint32_t g = 0; g < kGroups; ++g) {
      for (std::uint32_t w = 0; w < 4; ++w) kept[4 * g + w] = words[w][g];
    }
    const std::uint32_t from = std::max(group * 4, row.first_column);
    const std::uint32_t to = std::min(group * 4 + 4 * kGroups, end);
    std::copy(kept + (from - group * 4), kept + (to - group * 4), mask + (from - row.first_column));
  }
}

void CpuBackend::bias_dropout_add(const Matrix& x, const Matrix& bias, const Matrix& residual, const DropoutSite& site,
                                  const Matrix& y, std::uint8_t* mask) {
  check_same_shape(residual, x);
  check_same_shape(y, x);
  check_shape(bias, 1, x.columns);
  const float* shift = row_of(bias, 0);
  const float kept = kept_scale(site.probability);
  for (std::int64_t r = 0; r < x.rows; ++r) {
    const float* in = row_of(x, r);
    const float* rest = row_of(residual, r);
    float* out = row_of(y, r);
    if (mask == nullptr) {
#pragma omp simd
      for (std::int64_t c = 0; c < x.columns; ++c) out[c] = rest[c] + (in[c] + shift[c]);
      continue;
    }
    std::uint8_t* keep = mask + r * x.columns;
    fill_mask(activation_row(site, r), drop_threshold(site.probability), x.columns, keep);
#pragma omp simd
    for (std::int64_t c = 0; c < x.columns; ++c) {
      out[c] = rest[c] + (keep[c] != 0 ? (in[c] + shift[c]) * kept : 0.0F);
    }
  }
}

void CpuBackend::dropout(const Matrix& x, const DropoutSite& site, const Matrix& y, std::uint8_t* mask) {
  if (mask == nullptr) return copy(x, y);
  check_same_shape(y, x);
  for (std::int64_t r = 0; r < x.rows; ++r) {
    fill_mask(activation_row(site, r), drop_threshold(site.probability), x.columns, mask + r * x.columns);
  }
  dropout_backward(x, mask, site.probability, y);
}

void CpuBackend::dropout_backward(const Matrix& dy, const std::uint8_t* mask, double probability, const Matrix& dx) {
  if (mask == nullptr) return copy(dy, dx);
  check_same_shape(dx, dy);
  const float kept = kept_scale(probability);
  for (std::int64_t r = 0; r < dy.rows; ++r) {
    const float* upstream = row_of(dy, r);
    const std::uint8_t* keep = mask + r * dy.columns;
    float* out = row_of(dx, r);
#pragma omp simd
    for (std::int64_t c = 0; c < dy.columns; ++c) out[c] = keep[c] != 0 ? upstream[c] * kept : 0.0F;
  }
}

}  // namespace shardsim::kernels
