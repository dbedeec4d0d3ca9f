#include "kernels/communicator/half_float.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace shardsim::kernels {
namespace {

// IEEE 754: 1 = 0x3C00, 2^-24 = 0x0001 (the smallest), 65,504 = 0x7BFF (the largest).
TEST(Float16, KnownBits) {
  EXPECT_EQ(Float16::bits(1.0F), 0x3C00);
  EXPECT_EQ(Float16::bits(-2.0F), 0xC000);
  EXPECT_EQ(Float16::bits(0x1p-24F), 0x0001);
  EXPECT_EQ(Float16::bits(65504.0F), 0x7BFF);
  EXPECT_EQ(Float16::bits(65519.0F), 0x7BFF);
  EXPECT_EQ(Float16::bits(65520.0F), 0x7C00);
  EXPECT_EQ(Float16::bits(-0.0F), 0x8000);
  // Half way between 1 and 1 + 2^-10: to even. Half way above that: up.
  EXPECT_EQ(Float16::bits(1.0F + 0x1p-11F), 0x3C00);
  EXPECT_EQ(Float16::bits(1.0F + 3 * 0x1p-11F), 0x3C02);
  // Just below 2 rounds into the next exponent; just below the smallest normal number 2^-14 likewise.
  EXPECT_EQ(Float16::bits(std::nextafter(2.0F, 0.0F)), 0x4000);
  EXPECT_EQ(Float16::bits(std::nextafter(0x1p-14F, 0.0F)), 0x0400);
}

TEST(Float16, EveryNumberComesBack) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = Float16::value(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(Float16::value(Float16::bits(value))));
    } else {
      ASSERT_EQ(Float16::bits(value), half) << value;
    }
  }
}

// 1 = 0x3F80; bf16 keeps 7 bits of mantissa, so 1 + 2^-8 is half way: to even; infinity and NaN stay what they are.
TEST(BFloat16, RoundsToEven) {
  EXPECT_EQ(BFloat16::bits(1.0F), 0x3F80);
  EXPECT_EQ(BFloat16::bits(1.0F + 0x1p-8F), 0x3F80);
  EXPECT_EQ(BFloat16::bits(1.0F + 3 * 0x1p-8F), 0x3F82);
  EXPECT_EQ(BFloat16::value(0x3F82), 1.0F + 0x1p-6F);
  EXPECT_EQ(BFloat16::bits(HUGE_VALF), 0x7F80);
  EXPECT_TRUE(std::isnan(BFloat16::value(BFloat16::bits(std::nanf("")))));
}

}  // namespace
}  // namespace shardsim::kernels
