// Fused attention: the constants of sim/cost/attention.hpp from measured times.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/quality.hpp"
#include "calibrate/samples/samples.hpp"
#include "sim/hardware/device.hpp"

namespace shardsim::calibrate {

struct AttentionFit {
  hardware::AttentionProfile profile;
  Quality quality;
  int constants = 0;
};

/// What is fitted to what. Only causal kernels that fill the device are used, see is_training_like().
struct AttentionSamples {
  /// A table over lengths and head sizes: the half sizes and the forward efficiency.
  std::vector<AttentionSample> forward;
  /// Backward alone or with the forward; empty: the backward reaches `backward_over_forward` of the forward.
  std::vector<AttentionSample> backward;
  double backward_over_forward = 0.0;
};

/// Causal, at least 512 keys, heads of at most 128, four blocks of 128 queries a multiprocessor, and 100 us.
[[nodiscard]] bool is_training_like(const AttentionSample& sample, std::int64_t multiprocessors);

/// Throws InputError for too few samples and for one faster than the peak.
[[nodiscard]] AttentionFit fit_attention(const hardware::Device& device, const AttentionSamples& samples,
                                         const std::string& what);

}  // namespace shardsim::calibrate
