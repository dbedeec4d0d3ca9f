#include "sim/input/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace shardsim::input {
namespace {

TEST(Units, BytesBinaryAndDecimal) {
  EXPECT_EQ(parse_bytes("80 GiB").value, Bytes{80LL * 1024 * 1024 * 1024});
  EXPECT_EQ(parse_bytes("80 GB").value, Bytes{80'000'000'000LL});
  EXPECT_EQ(parse_bytes("31.73 GiB").value, Bytes{34'069'828'076LL});  // 31.73 · 2^30 = 34069828075.5…
  EXPECT_EQ(parse_bytes(" 512MiB ").value, Bytes{512LL << 20});
  EXPECT_EQ(parse_bytes("0 B").value, Bytes{0});
}

TEST(Units, BitsAreAnEighthOfBytes) {
  EXPECT_EQ(parse_bytes_per_second("200 Gb/s").value, BytesPerSecond{25e9});
  EXPECT_EQ(parse_bytes_per_second("200 GB/s").value, BytesPerSecond{200e9});
}

TEST(Units, TimeAndSpeed) {
  EXPECT_EQ(parse_seconds("5 us").value, Seconds{5e-6});
  EXPECT_EQ(parse_seconds("5 µs").value, Seconds{5e-6});
  EXPECT_EQ(parse_seconds("1.5 ms").value, Seconds{1.5e-3});
  EXPECT_EQ(parse_flops_per_second("312 TFLOP/s").value, FlopsPerSecond{312e12});
}

struct BadText {
  const char* text;
  const char* words;
};

class BadBytes : public testing::TestWithParam<BadText> {};
TEST_P(BadBytes, SaysWhatWouldBeRight) {
  const auto parsed = parse_bytes(GetParam().text);
  EXPECT_FALSE(parsed.value) << GetParam().text;
  EXPECT_NE(parsed.error.find(GetParam().words), std::string::npos) << parsed.error;
}
INSTANTIATE_TEST_SUITE_P(Units, BadBytes,
                         testing::Values(BadText{"80", "with its unit, like \"80 GiB\""}, BadText{"", "80 GiB"},
                                         BadText{"GiB", "80 GiB"}, BadText{"80 gib", "did you mean \"GiB\""},
                                         BadText{"80 GiB x", "no unit of size"}, BadText{"80 GB/s", "no unit of size"},
                                         BadText{"nan GiB", "80 GiB"}, BadText{"inf GiB", "80 GiB"},
                                         BadText{"-1 GiB", "not be negative"}, BadText{"1e400 GiB", "too large"},
                                         BadText{"9000 TiB", "too large"}, BadText{"8 0 GiB", "no unit"}));

TEST(Units, IntegersAreStrict) {
  EXPECT_EQ(parse_integer("8").value, 8);
  EXPECT_EQ(parse_integer("-1").value, -1);
  EXPECT_EQ(parse_integer("9223372036854775807").value, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_integer("-9223372036854775808").value, std::numeric_limits<std::int64_t>::min());
  for (const char* text : {"", "-", "8.0", "1e3", "1_000", "1,000", "0x10", "8 ", "eight", "nan"}) {
    const bool blank_end = std::string_view(text) == "8 ";
    EXPECT_EQ(parse_integer(text).value.has_value(), blank_end) << text;
  }
  EXPECT_NE(parse_integer("1e3").error.find("digits only"), std::string::npos);
  EXPECT_NE(parse_integer("9223372036854775808").error.find("too large"), std::string::npos);
  EXPECT_NE(parse_integer("99999999999999999999999").error.find("too large"), std::string::npos);
}

TEST(Units, NumbersAreFinite) {
  EXPECT_EQ(parse_number("1e-3").value, 1e-3);
  EXPECT_EQ(parse_number(".5").value, 0.5);
  EXPECT_EQ(parse_number("2.").value, 2.0);
  for (const char* text : {"nan", "inf", "-inf", "1e999", "0x1p3", "1.2.3", "1e", "e5", "1 2", ""}) {
    EXPECT_FALSE(parse_number(text).value) << text;
  }
}

TEST(Units, BoolsAreTrueOrFalse) {
  EXPECT_EQ(parse_bool("true").value, true);
  EXPECT_EQ(parse_bool("false").value, false);
  for (const char* text : {"1", "yes", "True", ""}) EXPECT_FALSE(parse_bool(text).value) << text;
}

TEST(Units, WrittenForPeople) {
  EXPECT_EQ(to_text(Bytes{80LL << 30}), "80 GiB");
  EXPECT_EQ(to_text(Bytes{3}), "3 B");
  EXPECT_EQ(to_text(BytesPerSecond{25e9}), "25 GB/s");
  EXPECT_EQ(to_text(Seconds{5e-6}), "5 us");
  EXPECT_EQ(to_text(FlopsPerSecond{312e12}), "312 TFLOP/s");
  EXPECT_EQ(to_text(0.1), "0.1");
}

TEST(Units, WrittenTextReadsBackExactly) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-8.0, 14.0);
  for (int i = 0; i < 2000; ++i) {
    const double value = std::pow(10.0, exponent(random));
    EXPECT_EQ(parse_number(to_text(value)).value, value);
    EXPECT_EQ(parse_bytes_per_second(to_text(BytesPerSecond{value})).value, BytesPerSecond{value});
    EXPECT_EQ(parse_seconds(to_text(Seconds{value * 1e-6})).value, Seconds{value * 1e-6});
    EXPECT_EQ(parse_flops_per_second(to_text(FlopsPerSecond{value})).value, FlopsPerSecond{value});
    const Bytes bytes = rounded_bytes(value);
    EXPECT_EQ(parse_bytes(to_text(bytes)).value, bytes);
  }
}

}  // namespace
}  // namespace shardsim::input
