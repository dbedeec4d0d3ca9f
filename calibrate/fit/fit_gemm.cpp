#include "calibrate/fit/fit_gemm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "calibrate/fit/minimise.hpp"
#include "sim/cost/gemm.hpp"

namespace shardsim::calibrate {
namespace {

using hardware::Device;
using hardware::GemmProfile;

/// Residuals (of log time) beyond this count as outliers.
constexpr double kScale = 0.1;
/// What lies above the nominal peak by more is a mistake: clocks above the nominal one reach some per cent.
constexpr double kAbovePeak = 1.1;
constexpr double kContradiction = 3.0;

struct Tile {
  std::int64_t m = 0;
  std::int64_t n = 0;
};
/// Smooth, and the output tiles that libraries prefer for large products.
constexpr std::array<Tile, 4> kTiles = {{{0, 0}, {128, 128}, {128, 256}, {256, 128}}};

GemmProfile& profile_of(Device& device, model::DType format) { return device.gemm[static_cast<std::size_t>(format)]; }

/// Operands as the product reads them.
double operand_size(model::DType format) {
  return format == model::DType::fp8 ? 1.0 : model::storage_size(format).as_double();
}

double flops(const GemmSample& sample) {
  return 2.0 * static_cast<double>(sample.m) * static_cast<double>(sample.n) * static_cast<double>(sample.k);
}

/// Half sizes below one element mean no such effect.
double half_size(double logarithm) {
  const double half = std::exp(std::clamp(logarithm, -1.0, 9.0));
  return half > 1.0 ? half : 0.0;
}

/// Unbounded parameters -> efficiency within (0, 1) and half sizes.
void set_parameters(GemmProfile& profile, const std::vector<double>& x) {
  profile.efficiency = 1.0 / (1.0 + std::exp(-x[0]));
  profile.m_half = half_size(x[1]);
  profile.n_half = half_size(x[2]);
  profile.k_half = half_size(x[3]);
}

Device fitted(Device device, model::DType format, Tile tile, const std::vector<GemmSample>& samples) {
  GemmProfile& profile = profile_of(device, format);
  profile.tile_m = tile.m;
  profile.tile_n = tile.n;
  const Residuals residuals = [&](const std::vector<double>& x, std::vector<double>& r) {
    set_parameters(profile, x);
    r.resize(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      r[i] = std::log(predicted(device, format, model::Pass::forward, samples[i]) / samples[i].time);
    }
  };
  set_parameters(profile, minimise(residuals, {1.0, 3.0, 3.0, 3.0}, kScale).parameters);
  return device;
}

Quality held_out_quality(const Device& device, model::DType format, Tile tile, const std::vector<GemmSample>& samples) {
  const auto parts = split(samples);
  const Device fit = fitted(device, format, tile, parts.fitted);
  std::vector<double> errors;
  for (const GemmSample& sample : parts.held_out) {
    errors.push_back(predicted(fit, format, model::Pass::forward, sample) / sample.time - 1.0);
  }
  return judge(samples.size(), errors);
}

/// Impossible and contradictory samples are problems.
void check(const Device& device, model::DType format, const std::vector<GemmSample>& samples, const std::string& what) {
  Problems problems;
  if (samples.size() < kFewestSamples) {
    problems.add({{},
                  what,
                  "",
                  std::to_string(samples.size()) + " samples of training's sizes, but a fit needs " +
                      std::to_string(kFewestSamples)});
  }
  const double peak = cost::gemm_profile(device, format).peak.value();
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, const GemmSample*> seen;
  for (const GemmSample& sample : samples) {
    const double rate = flops(sample) / sample.time.value();
    if (rate > kAbovePeak * peak) {
      problems.add({sample.origin, "time_us", std::to_string(sample.time.value() * 1e6),
                    "impossible: " + std::to_string(std::lround(rate / 1e12)) + " TFLOP/s, the peak is " +
                        std::to_string(std::lround(peak / 1e12))});
    }
    const auto [other, is_new] = seen.emplace(std::tuple(sample.m, sample.n, sample.k), &sample);
    const double ratio = sample.time / other->second->time;
    if (!is_new && std::max(ratio, 1.0 / ratio) > kContradiction) {
      problems.add({sample.origin, "time_us", std::to_string(sample.time.value() * 1e6),
                    "contradicts the same product in line " + std::to_string(other->second->origin.line) + " (" +
                        std::to_string(other->second->time.value() * 1e6) + ")"});
    }
  }
  problems.throw_if_any();
}

GemmProfile rounded_profile(GemmProfile profile) {
  for (double* value : {&profile.efficiency, &profile.m_half, &profile.n_half, &profile.k_half}) {
    *value = rounded(*value);
  }
  return profile;
}

}  // namespace

Seconds predicted(const Device& device, model::DType format, model::Pass pass, const GemmSample& sample) {
  const model::Shape shape{sample.m, sample.n, sample.k, 1};
  const double elements = static_cast<double>(sample.m) * static_cast<double>(sample.k) +
                          static_cast<double>(sample.k) * static_cast<double>(sample.n);
  const double results = static_cast<double>(sample.m) * static_cast<double>(sample.n);
  // 8-bit products give 16-bit results.
  const double element = operand_size(format);
  const Bytes bytes = rounded_bytes(elements * element + results * std::max(element, 2.0));
  return cost::gemm_time(device, format, pass, shape, Flops{flops(sample)}, bytes);
}

GemmFit fit_gemm(const Device& device, model::DType format, const std::vector<GemmSample>& samples,
                 const std::string& what) {
  check(device, format, samples, what);
  GemmFit best;
  Tile best_tile;
  bool chosen = false;
  for (const Tile& tile : kTiles) {
    const Quality quality = held_out_quality(device, format, tile, samples);
    if (chosen && quality.median >= best.quality.median) continue;
    best.quality = quality;
    best_tile = tile;
    chosen = true;
  }
  best.profile = rounded_profile(cost::gemm_profile(fitted(device, format, best_tile, samples), format));
  best.constants = 4;
  return best;
}

double layout_factor(const Device& device, model::DType format, const std::vector<GemmSample>& samples) {
  std::vector<double> ratios;
  ratios.reserve(samples.size());
  for (const GemmSample& sample : samples) {
    ratios.push_back(sample.time / predicted(device, format, model::Pass::forward, sample));
  }
  return rounded(quantile(ratios, 0.5));
}

}  // namespace shardsim::calibrate
