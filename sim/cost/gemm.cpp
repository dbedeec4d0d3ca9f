#include "sim/cost/gemm.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace shardsim::cost {
namespace {

/// Elements of a row that the matrix units load at once.
constexpr std::int64_t kAlignment = 8;

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

bool has_tiles(const hardware::GemmProfile& profile) { return profile.tile_m > 0 && profile.tile_n > 0; }

double filled(std::int64_t size, std::int64_t tile) {
  return static_cast<double>(size) / static_cast<double>(ceil_div(size, tile) * tile);
}

Seconds product_time(const hardware::Device& device, const hardware::GemmProfile& profile, double efficiency,
                     model::Pass pass, Flops work, Bytes bytes) {
  const double slowdown = layout_slowdown(profile, pass) * device.sustained_slowdown;
  const FlopsPerSecond rate = efficiency / slowdown * profile.peak;
  return device.kernel_latency + roofline(work, rate, bytes, device.memory_bandwidth);
}

}  // namespace

const hardware::GemmProfile& gemm_profile(const hardware::Device& device, model::DType dtype) {
  return device.gemm[static_cast<std::size_t>(dtype)];
}

Seconds roofline(Flops work, FlopsPerSecond rate, Bytes bytes, BytesPerSecond bandwidth) {
  return std::max(work / rate, bytes / bandwidth);
}

double saturation(double size, double half) { return size / (size + half); }

double tile_efficiency(const hardware::GemmProfile& profile, const model::Shape& shape) {
  if (!has_tiles(profile)) return 1.0;
  return filled(shape.m, profile.tile_m) * filled(shape.n, profile.tile_n);
}

double wave_efficiency(const hardware::GemmProfile& profile, std::int64_t multiprocessors, const model::Shape& shape) {
  if (!has_tiles(profile) || multiprocessors <= 0) return 1.0;
  return filled(ceil_div(shape.m, profile.tile_m) * ceil_div(shape.n, profile.tile_n) * shape.batch, multiprocessors);
}

double alignment_slowdown(const hardware::GemmProfile& profile, const model::Shape& shape) {
  const bool aligned = shape.m % kAlignment == 0 && shape.n % kAlignment == 0 && shape.k % kAlignment == 0;
  return aligned ? 1.0 : profile.misaligned_slowdown;
}

double gemm_efficiency(const hardware::Device& device, const hardware::GemmProfile& profile,
                       const model::Shape& shape) {
  const double saturated = saturation(static_cast<double>(shape.m * shape.batch), profile.m_half) *
                           saturation(static_cast<double>(shape.n), profile.n_half) *
                           saturation(static_cast<double>(shape.k), profile.k_half);
  return profile.efficiency * saturated * tile_efficiency(profile, shape) *
         wave_efficiency(profile, device.multiprocessors, shape) / alignment_slowdown(profile, shape);
}

double layout_slowdown(const hardware::GemmProfile& profile, model::Pass pass) {
  switch (pass) {
    case model::Pass::input_gradient:
      return profile.input_gradient_slowdown;
    case model::Pass::weight_gradient:
      return profile.weight_gradient_slowdown;
    case model::Pass::backward:
      return 0.5 * (profile.input_gradient_slowdown + profile.weight_gradient_slowdown);
    default:
      return 1.0;
  }
}

Seconds gemm_time(const hardware::Device& device, model::DType dtype, model::Pass pass, const model::Shape& shape,
                  Flops work, Bytes bytes) {
  const hardware::GemmProfile& profile = gemm_profile(device, dtype);
  SHARDSIM_CHECK(profile.peak.value() > 0.0 && profile.efficiency > 0.0,
                 device.name + " has no matrix units for this number format");
  SHARDSIM_CHECK(shape.m > 0 && shape.n > 0 && shape.k > 0 && shape.batch > 0, "an empty matrix product");
  return product_time(device, profile, gemm_efficiency(device, profile, shape), pass, work, bytes);
}

Seconds batched_gemm_time(const hardware::Device& device, model::DType dtype, model::Pass pass,
                          const model::Shape& shape, Flops work, Bytes bytes) {
  const hardware::GemmProfile& profile = device.batched_gemm;
  if (profile.peak.value() <= 0.0) return gemm_time(device, dtype, pass, shape, work, bytes);
  const double efficiency = gemm_efficiency(device, profile, {shape.m, shape.n, shape.k, 1});
  SHARDSIM_CHECK(efficiency > 0.0, device.name + " has no profile of batched products");
  return product_time(device, profile, efficiency, pass, work, bytes);
}

}  // namespace shardsim::cost
