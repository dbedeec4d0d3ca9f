#include "sim/input/units.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sim/base/suggest.hpp"
#include "sim/input/text.hpp"

namespace shardsim::input {
namespace {

struct Unit {
  std::string_view name;
  /// One of this is multiple / fraction SI units; two exact numbers, so that "5 us" is exactly 5e-6 s.
  double multiple;
  double fraction = 1.0;

  [[nodiscard]] double to_si(double number) const { return number * multiple / fraction; }
  [[nodiscard]] double from_si(double value) const { return value * fraction / multiple; }
};

/// The units of one dimension; writing tries them in this order.
struct Dimension {
  std::string_view what;
  std::string_view example;
  /// The largest magnitude that is still believable.
  double largest;
  std::vector<Unit> units;
};

constexpr double kKi = 1024.0;

const Dimension& bytes_dimension() {
  static const Dimension dimension{"size",
                                   "80 GiB",
                                   kKi * kKi * kKi * kKi * kKi,
                                   {{"TiB", kKi * kKi * kKi * kKi},
                                    {"GiB", kKi * kKi * kKi},
                                    {"MiB", kKi * kKi},
                                    {"KiB", kKi},
                                    {"TB", 1e12},
                                    {"GB", 1e9},
                                    {"MB", 1e6},
                                    {"kB", 1e3},
                                    {"KB", 1e3},
                                    {"B", 1.0}}};
  return dimension;
}

const Dimension& rate_dimension() {
  static const Dimension dimension{"bandwidth",
                                   "300 GB/s\" or \"200 Gb/s",
                                   1e18,
                                   {{"TB/s", 1e12},
                                    {"GB/s", 1e9},
                                    {"MB/s", 1e6},
                                    {"kB/s", 1e3},
                                    {"B/s", 1.0},
                                    {"TiB/s", kKi * kKi * kKi * kKi},
                                    {"GiB/s", kKi * kKi * kKi},
                                    {"MiB/s", kKi * kKi},
                                    {"KiB/s", kKi},
                                    {"Tb/s", 1e12, 8.0},
                                    {"Gb/s", 1e9, 8.0},
                                    {"Mb/s", 1e6, 8.0},
                                    {"kb/s", 1e3, 8.0},
                                    {"b/s", 1.0, 8.0}}};
  return dimension;
}

const Dimension& seconds_dimension() {
  static const Dimension dimension{
      "time", "5 us", 1e9, {{"s", 1.0}, {"ms", 1.0, 1e3}, {"us", 1.0, 1e6}, {"\u00b5s", 1.0, 1e6}, {"ns", 1.0, 1e9}}};
  return dimension;
}

const Dimension& flops_dimension() {
  static const Dimension dimension{
      "speed",
      "312 TFLOP/s",
      1e21,
      {{"PFLOP/s", 1e15}, {"TFLOP/s", 1e12}, {"GFLOP/s", 1e9}, {"MFLOP/s", 1e6}, {"FLOP/s", 1.0}}};
  return dimension;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Length of the decimal number at the start of `text`: [+-] digits [. digits] [e [+-] digits]; 0 = none.
std::size_t number_length(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - from;
  };
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  std::size_t mantissa = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    mantissa += digits();
  }
  if (mantissa == 0) return 0;
  const std::size_t end = at;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() > 0) return at;
  }
  return end;
}

/// Precondition: `text` is a decimal number as number_length() accepts it.
double to_double(std::string_view text) { return std::strtod(std::string(text).c_str(), nullptr); }

std::string unit_error(std::string_view unit, const Dimension& dimension) {
  std::vector<std::string_view> names;
  std::string list;
  for (const Unit& known : dimension.units) {
    names.push_back(known.name);
    add_word(list, known.name);
  }
  std::string error = quoted(unit) + " is no unit of " + std::string(dimension.what);
  if (const auto near = nearest(unit, names)) error += "; did you mean " + quoted(*near) + "?";
  return error + " (known: " + list + ")";
}

/// The value in SI units.
Parsed<double> parse_quantity(std::string_view text, const Dimension& dimension) {
  text = trimmed(text);
  const std::string wanted =
      "write a " + std::string(dimension.what) + " with its unit, like " + quoted(dimension.example);
  const std::size_t length = number_length(text);
  if (length == 0) return {{}, wanted};
  const double number = to_double(text.substr(0, length));
  const std::string_view unit = trimmed(text.substr(length));
  if (unit.empty()) return {{}, "a bare number has no meaning here: " + wanted};
  for (const Unit& known : dimension.units) {
    if (known.name != unit) continue;
    const double value = known.to_si(number);
    if (value < 0) return {{}, "must not be negative"};
    if (!(value <= dimension.largest)) return {{}, "is too large to be a " + std::string(dimension.what)};
    return {value, {}};
  }
  return {{}, unit_error(unit, dimension)};
}

template <class Quantity>
Parsed<Quantity> as_quantity(const Parsed<double>& parsed) {
  if (!parsed.value) return {{}, parsed.error};
  return {Quantity{*parsed.value}, {}};
}

/// The first unit in which the number is short and reads back exactly.
std::string write_quantity(double value, const Dimension& dimension) {
  for (const Unit& unit : dimension.units) {
    if (std::abs(value) < unit.to_si(1.0)) continue;
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.12g", unit.from_si(value));
    std::string text = std::string(digits.data()) + " " + std::string(unit.name);
    const auto back = parse_quantity(text, dimension);
    if (back.value && *back.value == value) return text;
  }
  std::string_view base;
  for (const Unit& unit : dimension.units) {
    if (unit.to_si(1.0) == 1.0) base = unit.name;
  }
  return to_text(value) + " " + std::string(base);
}

}  // namespace

Parsed<std::int64_t> parse_integer(std::string_view text) {
  text = trimmed(text);
  std::size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const bool negative = at == 1 && text[0] == '-';
  if (at == text.size()) return {{}, "must be a whole number"};
  std::int64_t value = 0;
  for (; at < text.size(); ++at) {
    if (!is_digit(text[at])) return {{}, "must be a whole number, written in digits only"};
    // Accumulated negatively: the smallest integer has no positive counterpart.
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
        __builtin_sub_overflow(value, std::int64_t{text[at] - '0'}, &value)) {
      return {{}, "is too large for a whole number"};
    }
  }
  if (negative) return {value, {}};
  if (value == INT64_MIN) return {{}, "is too large for a whole number"};
  return {-value, {}};
}

Parsed<double> parse_number(std::string_view text) {
  text = trimmed(text);
  const std::size_t length = number_length(text);
  if (length == 0 || length != text.size()) return {{}, "must be a finite number"};
  const double value = to_double(text);
  if (!std::isfinite(value)) return {{}, "is too large for a number"};
  return {value, {}};
}

Parsed<bool> parse_bool(std::string_view text) {
  text = trimmed(text);
  if (text == "true") return {true, {}};
  if (text == "false") return {false, {}};
  return {{}, "must be true or false"};
}

Parsed<Bytes> parse_bytes(std::string_view text) {
  const Parsed<double> parsed = parse_quantity(text, bytes_dimension());
  if (!parsed.value) return {{}, parsed.error};
  return {Bytes{std::llround(*parsed.value)}, {}};
}

Parsed<BytesPerSecond> parse_bytes_per_second(std::string_view text) {
  return as_quantity<BytesPerSecond>(parse_quantity(text, rate_dimension()));
}

Parsed<Seconds> parse_seconds(std::string_view text) {
  return as_quantity<Seconds>(parse_quantity(text, seconds_dimension()));
}

Parsed<FlopsPerSecond> parse_flops_per_second(std::string_view text) {
  return as_quantity<FlopsPerSecond>(parse_quantity(text, flops_dimension()));
}

std::string to_text(std::int64_t value) { return std::to_string(value); }

std::string to_text(double value) {
  std::array<char, 32> text{};
  // 17 significant digits identify every double; most need fewer.
  for (const int digits : {6, 12, 15, 16, 17}) {
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
    if (std::strtod(text.data(), nullptr) == value) break;
  }
  return text.data();
}

std::string to_text(bool value) { return value ? "true" : "false"; }
std::string to_text(Bytes value) { return write_quantity(value.as_double(), bytes_dimension()); }
std::string to_text(BytesPerSecond value) { return write_quantity(value.value(), rate_dimension()); }
std::string to_text(Seconds value) { return write_quantity(value.value(), seconds_dimension()); }
std::string to_text(FlopsPerSecond value) { return write_quantity(value.value(), flops_dimension()); }

}  // namespace shardsim::input
