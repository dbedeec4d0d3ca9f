// Numbers and lines as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/units.hpp"

namespace shardsim::report {

/// Fixed decimals; "?" for a number that is not finite.
[[nodiscard]] std::string fixed(double value, int decimals);
/// "12.34": bytes in GiB, two decimals.
[[nodiscard]] std::string gib(Bytes bytes);
/// Four significant digits with the fitting unit: "12.34 s", "52.10 ms", "8.200 us".
[[nodiscard]] std::string duration(Seconds time);
/// "61.5 %" of a share of one.
[[nodiscard]] std::string percent(double share);
/// "+12.3 %", "-4.0 %".
[[nodiscard]] std::string signed_percent(double share);
/// Thousands separated: "153,660".
[[nodiscard]] std::string grouped(std::int64_t number);
/// Parameters with three significant digits: "8.32 B", "355 M".
[[nodiscard]] std::string parameter_count(std::int64_t parameters);
/// A share of one as up to `width` characters.
[[nodiscard]] std::string bar(double share, std::size_t width);

/// Characters (UTF-8 code points) of a text.
[[nodiscard]] std::size_t characters(std::string_view text);
/// Padded with blanks to `width` characters; longer text stays.
[[nodiscard]] std::string left(std::string_view text, std::size_t width);
[[nodiscard]] std::string right(std::string_view text, std::size_t width);
/// On one line of at most `width` characters; what is cut off shows as "...". Control characters become blanks.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t width);

}  // namespace shardsim::report
