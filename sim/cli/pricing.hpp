// What a device costs: the built-in list, or what the user says.
#pragma once

#include <string>
#include <string_view>

#include "sim/plan/goodput.hpp"

namespace shardsim::cli {

/// As given; empty = not given.
struct PricingOptions {
  /// USD per GPU and hour, "2.5" or a range "1.9..4.1".
  std::string price;
  /// on-demand or reserved.
  std::string terms;
  std::string pue;
};

/// Price (median of the list, and its range), power and PUE. A device that the list lacks costs 0: no price is known.
/// Throws InputError for prices that are negative or absurd, and unknown terms.
[[nodiscard]] plan::Economics economics_of(std::string_view device, const PricingOptions& options);

/// Where the device's price comes from: "3 on-demand list prices, about 2024 to about 2025".
[[nodiscard]] std::string price_origin(std::string_view device, const PricingOptions& options);

}  // namespace shardsim::cli
