// 16-bit floats as bits, and their value in fp32: what reductions on the host add.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace shardsim::kernels {

/// bfloat16: the upper half of an fp32.
struct BFloat16 {
  [[nodiscard]] static float value(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
  }
  /// Rounds to nearest, ties to even.
  [[nodiscard]] static std::uint16_t bits(float value) {
    const auto whole = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return static_cast<std::uint16_t>((whole >> 16U) | 0x40U);
    return static_cast<std::uint16_t>((whole + 0x7FFFU + ((whole >> 16U) & 1U)) >> 16U);
  }
};

/// IEEE 754 binary16: sign, 5 bits of exponent (bias 15), 10 of mantissa.
struct Float16 {
  [[nodiscard]] static float value(std::uint16_t bits) {
    const int exponent = (bits >> 10U) & 0x1F;
    const int mantissa = bits & 0x3FF;
    float magnitude = 0.0F;
    if (exponent == 0x1F) {
      magnitude = mantissa == 0 ? HUGE_VALF : std::nanf("");
    } else if (exponent == 0) {
      magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    } else {
      magnitude = std::ldexp(static_cast<float>(mantissa + 0x400), exponent - 25);
    }
    return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
  }
  /// Rounds to nearest, ties to even; infinity from 65,520 up.
  [[nodiscard]] static std::uint16_t bits(float value) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000U : 0U);
    const float magnitude = std::fabs(value);
    if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00U);
    if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
    const int exponent = magnitude < 0x1p-14F ? -14 : std::ilogb(magnitude);
    // In units of the last place; a carry into the exponent comes out right by itself.
    const auto units = static_cast<std::uint32_t>(std::lrint(std::ldexp(magnitude, 10 - exponent)));
    return static_cast<std::uint16_t>(sign | (static_cast<std::uint32_t>(exponent + 14) * 0x400U + units));
  }
};

}  // namespace shardsim::kernels
