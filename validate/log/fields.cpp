#include "validate/log/fields.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace shardsim::validate::log {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

struct Number {
  double value = 0.0;
  std::size_t length = 0;
  int decimals = 0;
};

/// strtod alone would take "0x10" and run past the view's end.
std::optional<Number> read_number(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string digits;
  Number number;
  std::size_t i = 0;
  bool point = false;
  for (; i < text.size() && digits.size() < kLongest; ++i) {
    const char c = text[i];
    const bool exponent = (c == 'e' || c == 'E') && !digits.empty() && is_digit(digits.back()) && i + 1 < text.size() &&
                          (is_digit(text[i + 1]) || text[i + 1] == '-' || text[i + 1] == '+');
    const bool sign = (c == '-' || c == '+') && (digits.empty() || digits.back() == 'e' || digits.back() == 'E');
    const bool separator = c == ',' && !digits.empty() && i + 1 < text.size() && is_digit(text[i + 1]);
    if (separator) continue;
    if (!is_digit(c) && !exponent && !sign && (c != '.' || point)) break;
    if (is_digit(c) && point) ++number.decimals;
    point = point || c == '.';
    digits += c;
  }
  if (digits.find_first_of("0123456789") == std::string::npos) {
    const std::string_view word = text.substr(0, 3);
    if (word == "nan" || word == "NaN") return Number{std::nan(""), 3, 0};
    if (word == "inf") return Number{HUGE_VAL, 3, 0};
    return std::nullopt;
  }
  number.value = std::strtod(digits.c_str(), nullptr);
  number.length = i;
  return number;
}

}  // namespace

std::string plain(std::string_view line) {
  std::string result;
  result.reserve(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      // "ESC [ parameters letter".
      ++i;
      if (i < line.size() && line[i] == '[') {
        ++i;
        while (i < line.size() && (is_digit(line[i]) || line[i] == ';' || line[i] == '?')) ++i;
      }
      continue;
    }
    const auto c = static_cast<unsigned char>(line[i]);
    result += c < 0x20 || c == 0x7f ? ' ' : line[i];
  }
  return result;
}

std::string_view after(std::string_view line, std::string_view label) {
  const std::size_t found = line.find(label);
  return found == std::string_view::npos ? std::string_view{} : without_blanks(line.substr(found + label.size()));
}

std::optional<double> leading_number(std::string_view text) {
  const auto number = read_number(text);
  return number ? std::optional<double>{number->value} : std::nullopt;
}

std::optional<double> number_after(std::string_view line, std::string_view label) {
  return leading_number(after(line, label));
}

std::optional<std::int64_t> integer_after(std::string_view line, std::string_view label) {
  const auto number = number_after(line, label);
  if (!number || !(std::abs(*number) < 1e15)) return std::nullopt;
  return static_cast<std::int64_t>(std::llround(*number));
}

std::optional<double> short_number_after(std::string_view line, std::string_view label) {
  const std::string_view text = after(line, label);
  const auto number = read_number(text);
  if (!number) return std::nullopt;
  constexpr std::string_view kPowers = "KMGTPE";
  const std::size_t power = number->length < text.size() ? kPowers.find(text[number->length]) : std::string_view::npos;
  return power == std::string_view::npos ? number->value
                                         : number->value * std::pow(1000.0, static_cast<double>(power + 1));
}

std::optional<PrintedSize> leading_size(std::string_view text) {
  const auto number = read_number(text);
  if (!number) return std::nullopt;
  const std::string_view unit = without_blanks(text.substr(number->length));
  constexpr std::array<std::pair<std::string_view, double>, 9> kUnits{{{"GiB", 0x1p30},
                                                                       {"MiB", 0x1p20},
                                                                       {"KiB", 0x1p10},
                                                                       {"TiB", 0x1p40},
                                                                       {"GB", 0x1p30},
                                                                       {"MB", 0x1p20},
                                                                       {"KB", 0x1p10},
                                                                       {"bytes", 1.0},
                                                                       {"B", 1.0}}};
  for (const auto& [name, factor] : kUnits) {
    if (unit.substr(0, name.size()) != name) continue;
    const double bytes = number->value * factor;
    if (!(bytes >= 0.0 && bytes < 0x1p50)) return std::nullopt;
    return PrintedSize{rounded_bytes(bytes), rounded_bytes(0.5 * factor * std::pow(10.0, -number->decimals))};
  }
  return std::nullopt;
}

}  // namespace shardsim::validate::log
