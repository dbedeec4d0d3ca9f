// exp, tanh and the logistic function as straight code that compilers turn into vector instructions.
#pragma once

#include <bit>
#include <cstdint>

namespace shardsim::kernels {

/// exp(x) to about 1.5 units in the last place: x = n ln 2 + r, exp(x) = 2ⁿ exp(r), with the minimax polynomial of
/// Cephes' expf (Moshier 1992). Beyond ±87.3 (where fp32 ends) it stays at its last value; below that it gives
/// exp(-87.3) = 1.2e-38. NaN gives NaN.
inline float vector_exp(float x) {
  constexpr float kLargest = 88.02F;
  constexpr float kSmallest = -87.33F;
  x = x > kLargest ? kLargest : x;
  x = x < kSmallest ? kSmallest : x;
  // Adding 1.5·2²³ rounds to an integer and leaves it in the low bits of the sum.
  constexpr float kRounder = 12582912.0F;
  const float shifted = x * 1.44269504088896341F + kRounder;
  const float n = shifted - kRounder;
  // ln 2 in two parts: n times the first has no rounding error.
  float r = x - n * 0.693359375F;
  r = r + n * 2.12194440e-4F;
  float polynomial = 1.9875691500e-4F;
  polynomial = polynomial * r + 1.3981999507e-3F;
  polynomial = polynomial * r + 8.3334519073e-3F;
  polynomial = polynomial * r + 4.1665795894e-2F;
  polynomial = polynomial * r + 1.6666665459e-1F;
  polynomial = polynomial * r + 5.0000001201e-1F;
  const float exp_r = polynomial * (r * r) + r + 1.0F;
  const std::uint32_t power = (std::bit_cast<std::uint32_t>(shifted) << 23) + std::bit_cast<std::uint32_t>(1.0F);
  return exp_r * std::bit_cast<float>(power);
}

/// 1 / (1 + exp(-x)).
inline float vector_logistic(float x) { return 1.0F / (1.0F + vector_exp(-x)); }

/// tanh(x) = sign(x) (1 − e) / (1 + e) with e = exp(−2|x|); near 0 the Taylor series, since 1 − e would cancel.
inline float vector_tanh(float x) {
  const float size = x < 0.0F ? -x : x;
  const float e = vector_exp(-2.0F * size);
  const float far = (1.0F - e) / (1.0F + e);
  const float square = x * x;
  const float near = size * (1.0F + square * (-1.0F / 3.0F + square * (2.0F / 15.0F + square * (-17.0F / 315.0F))));
  const float result = size < 0.25F ? near : far;
  return x < 0.0F ? -result : result;
}

}  // namespace shardsim::kernels
