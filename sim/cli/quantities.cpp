#include "sim/cli/quantities.hpp"

#include <array>
#include <string_view>

#include "sim/input/text.hpp"

namespace shardsim::cli {
namespace {

struct Suffix {
  std::string_view text;
  double factor;
};

constexpr std::array<Suffix, 8> kThousands{
    {{"", 1.0}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"B", 1e9}, {"G", 1e9}, {"b", 1e9}, {"T", 1e12}}};
constexpr std::array<Suffix, 6> kTimes{
    {{"s", 1.0}, {"min", 60.0}, {"m", 60.0}, {"h", 3600.0}, {"d", 86400.0}, {"w", 604800.0}}};

/// A number and one of the suffixes; nothing where there is another text.
template <std::size_t size>
std::optional<double> with_suffix(std::string_view text, const std::array<Suffix, size>& suffixes) {
  text = input::trimmed(text);
  for (const Suffix& suffix : suffixes) {
    if (text.size() <= suffix.text.size() || text.substr(text.size() - suffix.text.size()) != suffix.text) continue;
    const auto number = input::parse_number(text.substr(0, text.size() - suffix.text.size()));
    if (number.value) return *number.value * suffix.factor;
  }
  return {};
}

input::Parsed<double> checked(std::optional<double> value, double largest, const std::string& wanted) {
  if (!value) return {{}, "expected " + wanted};
  if (!(*value > 0.0)) return {{}, "must be more than 0, as " + wanted};
  if (*value > largest) return {{}, "is too large to be meant; expected " + wanted};
  return {value, {}};
}

}  // namespace

input::Parsed<double> parse_count(const std::string& text) {
  return checked(with_suffix(text, kThousands), 1e18, "a number like 300B, 1.5T or 4e9");
}

input::Parsed<Seconds> parse_duration(const std::string& text) {
  constexpr double kHundredYears = 100.0 * 366.0 * 86400.0;
  const auto seconds =
      checked(with_suffix(text, kTimes), kHundredYears, "a time with its unit, like 30d, 12h or 45min");
  if (!seconds.value) return {{}, seconds.error};
  return {Seconds{*seconds.value}, {}};
}

input::Parsed<double> parse_usd(const std::string& text) {
  std::string_view amount = input::trimmed(text);
  if (!amount.empty() && amount.front() == '$') amount.remove_prefix(1);
  return checked(with_suffix(amount, kThousands), 1e13, "US dollars, like 2500000 or 2.5M");
}

}  // namespace shardsim::cli
