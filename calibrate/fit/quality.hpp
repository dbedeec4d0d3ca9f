// How well a fit meets samples that it has not seen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace shardsim::calibrate {

struct Quality {
  std::size_t samples = 0;
  std::size_t held_out = 0;
  /// Of |predicted / measured − 1| over the samples held out.
  double median = 0.0;
  double p90 = 0.0;
};

/// Every third sample is held out of the fit that is judged; the committed fit has them all.
inline constexpr std::size_t kHeldOutEvery = 3;

template <class Sample>
struct Split {
  std::vector<Sample> fitted;
  std::vector<Sample> held_out;
};

template <class Sample>
[[nodiscard]] Split<Sample> split(const std::vector<Sample>& samples) {
  Split<Sample> parts;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    (i % kHeldOutEvery == 0 ? parts.held_out : parts.fitted).push_back(samples[i]);
  }
  return parts;
}

/// Value below which `share` of the values lie (nearest rank); 0 of none.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// `errors` are predicted / measured − 1 of the samples held out.
[[nodiscard]] Quality judge(std::size_t samples, const std::vector<double>& errors);

/// "2.4 % median, 7.1 % p90 on 2,600 of 7,800 samples held out".
[[nodiscard]] std::string to_string(const Quality& quality);

/// Rounded to three significant digits, so that every compiler writes the same profile.
[[nodiscard]] double rounded(double value);

}  // namespace shardsim::calibrate
