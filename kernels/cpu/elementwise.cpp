#include <algorithm>

#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/rows.hpp"

namespace shardsim::kernels {

void CpuBackend::copy(const Matrix& from, const Matrix& to) {
  if (from.data == to.data) return;
  for_each_row([](std::int64_t count, const float* in, float* out) { std::copy_n(in, count, out); }, from, to);
}

void CpuBackend::add(const Matrix& x, const Matrix& y) {
  for_each_row(
      [](std::int64_t count, const float* in, float* out) {
#pragma omp simd
        for (std::int64_t c = 0; c < count; ++c) out[c] += in[c];
      },
      x, y);
}

void CpuBackend::scale(const Matrix& x, double factor) {
  for_each_row(
      [factor = static_cast<float>(factor)](std::int64_t count, float* out) {
#pragma omp simd
        for (std::int64_t c = 0; c < count; ++c) out[c] *= factor;
      },
      x);
}

void CpuBackend::fill(const Matrix& x, double value) {
  for_each_row([value = static_cast<float>(value)](std::int64_t count, float* out) { std::fill_n(out, count, value); },
               x);
}

double CpuBackend::sum_of_squares(const Matrix& x) {
  double total = 0.0;
  for_each_row(
      [&total](std::int64_t count, const float* in) {
        double squares = 0.0;
#pragma omp simd reduction(+ : squares)
        for (std::int64_t c = 0; c < count; ++c) squares += static_cast<double>(in[c]) * static_cast<double>(in[c]);
        total += squares;
      },
      x);
  return total;
}

double CpuBackend::sum(const Matrix& x) {
  double total = 0.0;
  for_each_row(
      [&total](std::int64_t count, const float* in) {
        double part = 0.0;
#pragma omp simd reduction(+ : part)
        for (std::int64_t c = 0; c < count; ++c) part += static_cast<double>(in[c]);
        total += part;
      },
      x);
  return total;
}

}  // namespace shardsim::kernels
