#include "calibrate/fit/quality.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace shardsim::calibrate {
namespace {

std::string grouped(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto rank = static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank), values.end());
  return values[rank];
}

Quality judge(std::size_t samples, const std::vector<double>& errors) {
  std::vector<double> sizes;
  sizes.reserve(errors.size());
  for (const double error : errors) sizes.push_back(std::abs(error));
  return {samples, errors.size(), quantile(sizes, 0.5), quantile(sizes, 0.9)};
}

std::string to_string(const Quality& quality) {
  std::array<char, 64> shares{};
  std::snprintf(shares.data(), shares.size(), "%.1f %% median, %.1f %% p90 on ", 100.0 * quality.median,
                100.0 * quality.p90);
  return shares.data() + grouped(quality.held_out) + " of " + grouped(quality.samples) + " samples held out";
}

double rounded(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return std::strtod(text.data(), nullptr);
}

}  // namespace shardsim::calibrate
