#include "sim/report/format.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace shardsim::report {
namespace {

TEST(Format, DurationsHaveFourSignificantDigits) {
  EXPECT_EQ(duration(Seconds{12.345}), "12.35 s");
  EXPECT_EQ(duration(Seconds{123.45}), "123.5 s");
  EXPECT_EQ(duration(Seconds{0.0521}), "52.10 ms");
  EXPECT_EQ(duration(Seconds{8.2e-6}), "8.200 us");
  EXPECT_EQ(duration(Seconds{0.0}), "0.000 us");
  EXPECT_EQ(duration(Seconds{std::numeric_limits<double>::infinity()}), "?");
}

TEST(Format, NumbersAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(-1'234'567), "-1,234,567");
}

TEST(Format, ParametersHaveThreeSignificantDigits) {
  EXPECT_EQ(parameter_count(124'439'808), "124 M");
  EXPECT_EQ(parameter_count(8'317'000'000), "8.32 B");
  EXPECT_EQ(parameter_count(1'008'000'000'000), "1.01 T");
}

TEST(Format, BytesAreGiBNotGB) { EXPECT_EQ(gib(Bytes{32'000'000'000}), "29.80"); }

TEST(Format, BarsAreProportional) {
  EXPECT_EQ(bar(0.5, 8), "####");
  EXPECT_EQ(bar(2.0, 3), "###");
  EXPECT_EQ(bar(std::numeric_limits<double>::quiet_NaN(), 3), "");
}

TEST(Format, CutsBetweenCharacters) {
  EXPECT_EQ(one_line("abcdef", 6), "abcdef");
  EXPECT_EQ(one_line("abcdefg", 6), "abc...");
  EXPECT_EQ(one_line("\u00e9\u00e9\u00e9\u00e9\u00e9", 4), "\u00e9...");
  EXPECT_EQ(one_line("a\tb\nc", 9), "a b c");
}

}  // namespace
}  // namespace shardsim::report
