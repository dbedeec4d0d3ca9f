// One accelerator, as measured: peaks, achieved efficiencies and where they come from.
// Each device is a data file under scenarios/devices/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/hardware/kernels.hpp"

namespace shardsim::hardware {

/// Formats whose matrix products a device times apart, in the order of model::DType.
inline constexpr std::size_t kMatrixFormats = 5;

/// Matrix product time (see sim/cost/gemm.hpp for the equation):
///   T = latency + max(F / (peak · e), bytes / bandwidth),
///   e = efficiency · m/(m + m_half) · n/(n + n_half) · k/(k + k_half), divided by tile and wave quantisation.
struct GemmProfile {
  FlopsPerSecond peak{0.0};
  /// Achieved share of peak for large products, in a short burst.
  double efficiency = 0.0;
  /// Size at which a dimension alone halves the efficiency; 0 = no such effect.
  double m_half = 0.0;
  double n_half = 0.0;
  double k_half = 0.0;
  /// Output tile of one multiprocessor for wave quantisation; 0 = smooth.
  std::int64_t tile_m = 0;
  std::int64_t tile_n = 0;
  /// Time over that of aligned shapes where a dimension is no multiple of 8 elements.
  double misaligned_slowdown = 1.0;
  /// Time of the backward products (layouts NN, and NT added to fp32 gradients) over that of a forward product (TN)
  /// of the same shape.
  double input_gradient_slowdown = 1.0;
  double weight_gradient_slowdown = 1.0;
};

/// Fused attention: share of the matrix peak reached forward and backward in a short burst, saturating with sequence
/// length and head size.
struct AttentionProfile {
  double forward_efficiency = 0.0;
  double backward_efficiency = 0.0;
  /// Keys at which the efficiency is half its limit; 0 = none.
  double sequence_half = 0.0;
  /// Head size at which the efficiency is half its limit; 0 = none.
  double head_half = 0.0;
};

/// Memory-bound kernels: share of the memory bandwidth reached, by kind.
struct MemoryBoundProfile {
  double elementwise_efficiency = 0.0;
  double normalization_efficiency = 0.0;
  double softmax_efficiency = 0.0;
  double optimizer_efficiency = 0.0;
};

struct Device {
  std::string name = "custom";
  std::string title;
  std::string provenance;
  /// What a process can really allocate on an empty device, context included.
  Bytes memory_capacity{0};
  BytesPerSecond memory_bandwidth{0.0};
  std::int64_t multiprocessors = 0;
  /// Device-side cost of one kernel: start-up and drain.
  Seconds kernel_latency{0.0};
  std::array<GemmProfile, kMatrixFormats> gemm;
  /// Batched products of unfused attention, whose rows do not fill the device together; without a peak they are priced
  /// as `gemm`.
  GemmProfile batched_gemm;
  AttentionProfile attention;
  MemoryBoundProfile memory_bound;
  /// Sorted by size within a kernel; kernels that are not here take `memory_bound`.
  std::vector<MeasuredKernel> measured_kernels;
  /// Time of matrix products and attention in hours of training over that in a short burst: power lowers the clock.
  double sustained_slowdown = 1.0;
  /// Time of FlashAttention-2's kernels, whatever the head size, over that of `attention` (on Hopper cuDNN's) for large
  /// heads; 1 = `attention` is FlashAttention-2's.
  double flash_attention_2_slowdown = 1.0;
  /// Time while all of a node's devices work over that of one alone: cores share clocks, caches and memory. The profile
  /// holds the former.
  double matrix_full_node_slowdown = 1.0;
  double memory_full_node_slowdown = 1.0;
  /// Compute time over undisturbed compute time while a collective runs beside it.
  double communication_slowdown = 1.0;
  /// Standard deviation of the logarithm of predicted over measured kernel time.
  double error = 0.2;
};

}  // namespace shardsim::hardware
