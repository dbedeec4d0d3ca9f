#include "sim/engine/event/variation.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/random.hpp"

namespace shardsim::engine::event {
namespace {

/// Quantile of the standard normal distribution by bisection of erfc.
double normal_quantile(double probability) {
  double low = -10.0;
  double high = 10.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? low : high) = middle;
  }
  return low;
}

}  // namespace

LogNormal::LogNormal(double deviation, std::uint64_t seed) : seed_{mixed(seed)} {
  quantiles_.fill(kNominal);
  if (deviation == 0.0) return;
  const auto last = static_cast<double>(quantiles_.size() - 1);
  for (std::size_t i = 0; i < quantiles_.size(); ++i) {
    const double probability = std::clamp(static_cast<double>(i) / last, 0.5 / last, 1.0 - 0.5 / last);
    quantiles_[i] = slowness_of(std::exp(deviation * normal_quantile(probability)));
  }
}

Slowness LogNormal::draw(std::uint64_t key) const {
  constexpr unsigned kFractionBits = 20;
  const std::uint64_t random = mixed(seed_ ^ mixed(key));
  const auto quantile = static_cast<std::size_t>(random >> (64U - kQuantileBits));
  const auto fraction = static_cast<Slowness>((random >> 8U) % (1U << kFractionBits));
  const Slowness low = quantiles_[quantile];
  return low + (((quantiles_[quantile + 1] - low) * fraction) >> kFractionBits);
}

}  // namespace shardsim::engine::event
