#include "sim/engine/event/variation.hpp"

#include <algorithm>
#include <cmath>

namespace shardsim::engine::event {
namespace {

/// SplitMix64's finaliser (Steele, Lea & Flood 2014): every bit of the key changes half of the result's.
std::uint64_t mixed(std::uint64_t key) {
  key += 0x9E3779B97F4A7C15U;
  key = (key ^ (key >> 30U)) * 0xBF58476D1CE4E5B9U;
  key = (key ^ (key >> 27U)) * 0x94D049BB133111EBU;
  return key ^ (key >> 31U);
}

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
