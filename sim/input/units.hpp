// Text to numbers and back, at the edge of the program: strict, with units, never silently wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/units.hpp"

namespace shardsim::input {

/// A value, or what would have been right.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string error;
};

/// Decimal digits with an optional sign and nothing else ("8"; not "8.0", "1e3", "1_000").
[[nodiscard]] Parsed<std::int64_t> parse_integer(std::string_view text);
/// A finite decimal number ("0.5", "1e-3").
[[nodiscard]] Parsed<double> parse_number(std::string_view text);
/// true or false.
[[nodiscard]] Parsed<bool> parse_bool(std::string_view text);

/// A number, at least 0, and its unit. GiB = 2^30 bytes, GB = 10^9 bytes, Gb = 10^9 bits.
[[nodiscard]] Parsed<Bytes> parse_bytes(std::string_view text);                      // "80 GiB"
[[nodiscard]] Parsed<BytesPerSecond> parse_bytes_per_second(std::string_view text);  // "300 GB/s", "200 Gb/s"
[[nodiscard]] Parsed<Seconds> parse_seconds(std::string_view text);                  // "5 us"
[[nodiscard]] Parsed<FlopsPerSecond> parse_flops_per_second(std::string_view text);  // "312 TFLOP/s"

/// Text that reads back as exactly the same value.
[[nodiscard]] std::string to_text(std::int64_t value);
[[nodiscard]] std::string to_text(double value);
[[nodiscard]] std::string to_text(bool value);
[[nodiscard]] std::string to_text(Bytes value);
[[nodiscard]] std::string to_text(BytesPerSecond value);
[[nodiscard]] std::string to_text(Seconds value);
[[nodiscard]] std::string to_text(FlopsPerSecond value);

}  // namespace shardsim::input
