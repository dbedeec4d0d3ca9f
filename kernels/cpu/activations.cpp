#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/rows.hpp"
#include "kernels/cpu/vector_math.hpp"

namespace shardsim::kernels {
namespace {

/// gelu(v) = v · logistic(2u), u = √(2/π) (v + 0.044715 v³): the tanh form of Hendrycks & Gimpel 2016, since
/// (1 + tanh u) / 2 = logistic(2u).
constexpr float kTwiceRoot = 1.5957691216057308F;
constexpr float kCube = 0.044715F;

inline float gelu(float v) { return v * vector_logistic(kTwiceRoot * (v + kCube * v * v * v)); }

inline float gelu_slope(float v) {
  const float s = vector_logistic(kTwiceRoot * (v + kCube * v * v * v));
  return s + v * s * (1.0F - s) * kTwiceRoot * (1.0F + 3.0F * kCube * v * v);
}

}  // namespace

void CpuBackend::bias_gelu(const Matrix& x, const Matrix& bias, const Matrix& y) {
  if (bias.data == nullptr) {
    for_each_row(
        [](std::int64_t count, const float* in, float* out) {
#pragma omp simd
          for (std::int64_t c = 0; c < count; ++c) out[c] = gelu(in[c]);
        },
        x, y);
    return;
  }
  check_same_shape(y, x);
  check_shape(bias, 1, x.columns);
  const float* shift = row_of(bias, 0);
  for (std::int64_t r = 0; r < x.rows; ++r) {
    const float* in = row_of(x, r);
    float* out = row_of(y, r);
#pragma omp simd
    for (std::int64_t c = 0; c < x.columns; ++c) out[c] = gelu(in[c] + shift[c]);
  }
}

void CpuBackend::bias_gelu_backward(const Matrix& dy, const Matrix& x, const Matrix& bias, const Matrix& dx) {
  if (bias.data == nullptr) {
    for_each_row(
        [](std::int64_t count, const float* upstream, const float* in, float* out) {
#pragma omp simd
          for (std::int64_t c = 0; c < count; ++c) out[c] = upstream[c] * gelu_slope(in[c]);
        },
        dy, x, dx);
    return;
  }
  check_same_shape(dy, x);
  check_same_shape(dx, x);
  check_shape(bias, 1, x.columns);
  const float* shift = row_of(bias, 0);
  for (std::int64_t r = 0; r < x.rows; ++r) {
    const float* upstream = row_of(dy, r);
    const float* in = row_of(x, r);
    float* out = row_of(dx, r);
#pragma omp simd
    for (std::int64_t c = 0; c < x.columns; ++c) out[c] = upstream[c] * gelu_slope(in[c] + shift[c]);
  }
}

void CpuBackend::bias_tanh(const Matrix& x, const Matrix& bias, const Matrix& y) {
  check_same_shape(y, x);
  check_shape(bias, 1, x.columns);
  const float* shift = row_of(bias, 0);
  for (std::int64_t r = 0; r < x.rows; ++r) {
    const float* in = row_of(x, r);
    float* out = row_of(y, r);
#pragma omp simd
    for (std::int64_t c = 0; c < x.columns; ++c) out[c] = vector_tanh(in[c] + shift[c]);
  }
}

void CpuBackend::tanh_backward(const Matrix& dy, const Matrix& y, const Matrix& dx) {
  for_each_row(
      [](std::int64_t count, const float* upstream, const float* value, float* out) {
#pragma omp simd
        for (std::int64_t c = 0; c < count; ++c) out[c] = upstream[c] * (1.0F - value[c] * value[c]);
      },
      dy, y, dx);
}

void CpuBackend::add_bias(const Matrix& y, const Matrix& bias) {
  check_shape(bias, 1, y.columns);
  const float* shift = row_of(bias, 0);
  for (std::int64_t r = 0; r < y.rows; ++r) {
    float* out = row_of(y, r);
#pragma omp simd
    for (std::int64_t c = 0; c < y.columns; ++c) out[c] += shift[c];
  }
}

void CpuBackend::bias_gradient(const Matrix& dy, const Matrix& dbias) {
  check_shape(dbias, 1, dy.columns);
  float* total = row_of(dbias, 0);
  for (std::int64_t r = 0; r < dy.rows; ++r) {
    const float* upstream = row_of(dy, r);
#pragma omp simd
    for (std::int64_t c = 0; c < dy.columns; ++c) total[c] += upstream[c];
  }
}

}  // namespace shardsim::kernels
