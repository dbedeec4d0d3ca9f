// What people write for tokens, time and money: "300B", "30d", "2.5M".
#pragma once

#include <string>

#include "sim/base/units.hpp"
#include "sim/input/units.hpp"

namespace shardsim::cli {

/// "300B", "1.5T", "4e9", "1000000": more than 0, at most 1e18.
[[nodiscard]] input::Parsed<double> parse_count(const std::string& text);

/// "30d", "12h", "45min", "2w", "1.5 d", "600 s": more than 0, at most 100 years.
[[nodiscard]] input::Parsed<Seconds> parse_duration(const std::string& text);

/// US dollars: "2.5M", "2500000", "$40k", "1.2 B"; more than 0.
[[nodiscard]] input::Parsed<double> parse_usd(const std::string& text);

}  // namespace shardsim::cli
