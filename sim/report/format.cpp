#include "sim/report/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace shardsim::report {
namespace {

/// True where a code point starts: not at the 10xxxxxx bytes that continue one.
bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20U || c == '\x7f'; }

std::string significant(double value, int digits) {
  const double magnitude = value == 0.0 ? 0.0 : std::floor(std::log10(std::abs(value)));
  return fixed(value, std::clamp(digits - 1 - static_cast<int>(magnitude), 0, 9));
}

}  // namespace

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "?";
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

std::string gib(Bytes bytes) { return fixed(bytes.as_double() / (1_GiB).as_double(), 2); }

std::string duration(Seconds time) {
  const double seconds = time.value();
  if (!std::isfinite(seconds)) return "?";
  if (std::abs(seconds) >= 1.0) return significant(seconds, 4) + " s";
  if (std::abs(seconds) >= 1e-3) return significant(seconds * 1e3, 4) + " ms";
  return significant(seconds * 1e6, 4) + " us";
}

std::string percent(double share) { return fixed(100.0 * share, 1) + " %"; }
std::string signed_percent(double share) { return (share >= 0.0 ? "+" : "") + percent(share); }

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string parameter_count(std::int64_t parameters) {
  const auto count = static_cast<double>(parameters);
  if (count >= 1e12) return significant(count / 1e12, 3) + " T";
  if (count >= 1e9) return significant(count / 1e9, 3) + " B";
  return significant(count / 1e6, 3) + " M";
}

std::string bar(double share, std::size_t width) {
  if (!(share > 0.0)) return {};
  const double length = std::min(share, 1.0) * static_cast<double>(width);
  return std::string(static_cast<std::size_t>(std::lround(length)), '#');
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string left(std::string_view text, std::size_t width) {
  const std::size_t length = characters(text);
  return std::string(text) + std::string(length < width ? width - length : 0, ' ');
}

std::string right(std::string_view text, std::size_t width) {
  const std::size_t length = characters(text);
  return std::string(length < width ? width - length : 0, ' ') + std::string(text);
}

std::string one_line(std::string_view text, std::size_t width) {
  constexpr std::string_view kCut = "...";
  std::string line(text);
  std::replace_if(line.begin(), line.end(), is_control, ' ');
  if (characters(line) <= width) return line;
  std::size_t kept = 0;
  std::size_t end = 0;
  while (end < line.size() && (kept < width - kCut.size() || !starts_character(line[end]))) {
    if (starts_character(line[end])) ++kept;
    ++end;
  }
  return line.substr(0, end) + std::string(kCut);
}

}  // namespace shardsim::report
