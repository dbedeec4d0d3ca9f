// Strong types for the quantities that the simulator adds, multiplies and compares.
// SI inside; unit text ("80 GiB", "5 us") is parsed at the edge, in sim/input.
#pragma once

#include <compare>
#include <cstdint>

namespace shardsim {

/// A number with a dimension. Quantities of one dimension add and compare; two dimensions
/// combine only through the operators below, so seconds never meet bytes by accident.
template <class Dimension, class Number>
class Quantity {
 public:
  using number_type = Number;

  constexpr Quantity() = default;
  constexpr explicit Quantity(Number value) : value_{value} {}

  /// The bare number, in SI units (bytes, seconds, floating-point operations).
  [[nodiscard]] constexpr Number value() const { return value_; }
  [[nodiscard]] constexpr double as_double() const { return static_cast<double>(value_); }

  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.value_ + b.value_}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.value_ - b.value_}; }
  friend constexpr Quantity operator*(Quantity a, Number k) { return Quantity{a.value_ * k}; }
  friend constexpr Quantity operator*(Number k, Quantity a) { return Quantity{a.value_ * k}; }
  friend constexpr Quantity operator/(Quantity a, Number k) { return Quantity{a.value_ / k}; }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.as_double() / b.as_double(); }
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison category's literal for a pointer.
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

 private:
  Number value_{};
};

/// Byte counts are exact integers: the trainer's allocations must equal the model's.
using Bytes = Quantity<struct BytesDimension, std::int64_t>;
using Seconds = Quantity<struct SecondsDimension, double>;
using Flops = Quantity<struct FlopsDimension, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondDimension, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondDimension, double>;

constexpr Seconds operator/(Bytes size, BytesPerSecond rate) { return Seconds{size.as_double() / rate.value()}; }
constexpr Seconds operator/(Flops work, FlopsPerSecond rate) { return Seconds{work.value() / rate.value()}; }
constexpr FlopsPerSecond operator/(Flops work, Seconds time) { return FlopsPerSecond{work.value() / time.value()}; }
constexpr BytesPerSecond operator/(Bytes size, Seconds time) { return BytesPerSecond{size.as_double() / time.value()}; }

/// Byte count of a real-valued estimate (never negative), rounded to the nearest byte.
// NOLINTNEXTLINE(bugprone-incorrect-roundings): std::lround is not constexpr.
constexpr Bytes rounded_bytes(double bytes) { return Bytes{static_cast<std::int64_t>(bytes + 0.5)}; }

constexpr Bytes operator""_GiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n) << 30}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n) << 20}; }

}  // namespace shardsim
