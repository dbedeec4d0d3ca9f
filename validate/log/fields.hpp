// Numbers and sizes behind their labels in a line of a log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/units.hpp"

namespace shardsim::validate::log {

/// Without colours and other escape sequences; control characters become blanks.
[[nodiscard]] std::string plain(std::string_view line);

[[nodiscard]] inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// What follows the first `label`, without blanks in front; empty where the label is missing.
[[nodiscard]] std::string_view after(std::string_view line, std::string_view label);

/// The number at the start of a text, with thousands separators ("1,234.5"); also "nan" and "inf".
[[nodiscard]] std::optional<double> leading_number(std::string_view text);
[[nodiscard]] std::optional<double> number_after(std::string_view line, std::string_view label);
[[nodiscard]] std::optional<std::int64_t> integer_after(std::string_view line, std::string_view label);

/// "23.9K", "1.39G", powers of 1,000 (nanotron's human_format).
[[nodiscard]] std::optional<double> short_number_after(std::string_view line, std::string_view label);

/// "2.34 GiB", "20.00 MiB", "512 bytes" at the start of a text; "GB" and "MB" mean powers of 1,024 in these programs.
struct PrintedSize {
  Bytes bytes;
  /// Half of the last printed digit.
  Bytes rounding;
};
[[nodiscard]] std::optional<PrintedSize> leading_size(std::string_view text);

}  // namespace shardsim::validate::log
