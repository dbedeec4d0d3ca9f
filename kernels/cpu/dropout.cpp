#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/masks.hpp"
#include "kernels/cpu/rows.hpp"

namespace shardsim::kernels {

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
    std::uint8_t* keep = mask + r * x.columns;
    fill_mask(activation_row(site, r), drop_threshold(site.probability), x.columns, keep);
    apply_mask(row_of(x, r), keep, kept_scale(site.probability), x.columns, row_of(y, r));
  }
}

void CpuBackend::dropout_backward(const Matrix& dy, const std::uint8_t* mask, double probability, const Matrix& dx) {
  if (mask == nullptr) return copy(dy, dx);
  check_same_shape(dx, dy);
  const float kept = kept_scale(probability);
  for (std::int64_t r = 0; r < dy.rows; ++r) {
    apply_mask(row_of(dy, r), mask + r * dy.columns, kept, dy.columns, row_of(dx, r));
  }
}

}  // namespace shardsim::kernels
