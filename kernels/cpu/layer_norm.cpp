#include <cmath>

#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/rows.hpp"

namespace shardsim::kernels {

void CpuBackend::layer_norm(const Matrix& x, const Matrix& weight, const Matrix& bias, double epsilon, const Matrix& y,
                            const Matrix& statistics) {
  const std::int64_t width = x.columns;
  check_same_shape(y, x);
  check_shape(weight, 1, width);
  check_shape(bias, 1, width);
  check_shape(statistics, x.rows, 2);
  const float* gain = row_of(weight, 0);
  const float* shift = row_of(bias, 0);
  for (std::int64_t r = 0; r < x.rows; ++r) {
    const float* in = row_of(x, r);
    float* out = row_of(y, r);
    float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t c = 0; c < width; ++c) sum += in[c];
    const float mean = sum / static_cast<float>(width);
    float squares = 0.0F;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t c = 0; c < width; ++c) squares += (in[c] - mean) * (in[c] - mean);
    const auto inverse = static_cast<float>(1.0 / std::sqrt(squares / static_cast<double>(width) + epsilon));
    row_of(statistics, r)[0] = mean;
    row_of(statistics, r)[1] = inverse;
#pragma omp simd
    for (std::int64_t c = 0; c < width; ++c) out[c] = (in[c] - mean) * inverse * gain[c] + shift[c];
  }
}

void CpuBackend::layer_norm_backward(const Matrix& dy, const Matrix& x, const Matrix& weight, const Matrix& statistics,
                                     const Matrix& dx, const Matrix& dweight, const Matrix& dbias) {
  const std::int64_t width = x.columns;
  check_same_shape(dy, x);
  check_same_shape(dx, x);
  for (const Matrix& row : {weight, dweight, dbias}) check_shape(row, 1, width);
  check_shape(statistics, x.rows, 2);
  const float* gain = row_of(weight, 0);
  float* dgain = row_of(dweight, 0);
  float* dshift = row_of(dbias, 0);
  for (std::int64_t r = 0; r < x.rows; ++r) {
    const float* upstream = row_of(dy, r);
    const float* in = row_of(x, r);
    float* out = row_of(dx, r);
    const float mean = row_of(statistics, r)[0];
    const float inverse = row_of(statistics, r)[1];
    float sum = 0.0F;
    float sum_of_products = 0.0F;
#pragma omp simd reduction(+ : sum, sum_of_products)
    for (std::int64_t c = 0; c < width; ++c) {
      const float normalised = (in[c] - mean) * inverse;
      const float scaled = upstream[c] * gain[c];
      sum += scaled;
      sum_of_products += scaled * normalised;
      dgain[c] += upstream[c] * normalised;
      dshift[c] += upstream[c];
    }
    const float average = sum / static_cast<float>(width);
    const float slope = sum_of_products / static_cast<float>(width);
#pragma omp simd
    for (std::int64_t c = 0; c < width; ++c) {
      const float normalised = (in[c] - mean) * inverse;
      out[c] = inverse * (upstream[c] * gain[c] - average - normalised * slope);
    }
  }
}

}  // namespace shardsim::kernels
