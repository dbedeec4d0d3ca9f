// Matrix products: the constants of sim/cost/gemm.hpp from measured times.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/quality.hpp"
#include "calibrate/samples/samples.hpp"
#include "sim/hardware/device.hpp"
#include "sim/model/operators.hpp"

namespace shardsim::calibrate {

struct GemmFit {
  hardware::GemmProfile profile;
  Quality quality;
  int constants = 0;
};

/// Sizes below this in any dimension are not those of training.
inline constexpr std::int64_t kSmallestSize = 1024;
/// A fit of fewer samples is refused.
inline constexpr std::size_t kFewestSamples = 12;

/// Predicted time of a sample, by the profile of `format` in `device`.
[[nodiscard]] Seconds predicted(const hardware::Device& device, model::DType format, model::Pass pass,
                                const GemmSample& sample);

/// Efficiency and half sizes that fit best, smooth or with the output tiles whose waves fit best: the form with the
/// smallest median error on held-out samples. The device knows its peak, bandwidth, latency and multiprocessors.
/// Throws InputError for too few samples, for one faster than the peak, and for two of one shape that disagree more
/// than threefold.
[[nodiscard]] GemmFit fit_gemm(const hardware::Device& device, model::DType format,
                               const std::vector<GemmSample>& samples, const std::string& what);

/// Median of measured over predicted time for samples of another layout.
[[nodiscard]] double layout_factor(const hardware::Device& device, model::DType format,
                                   const std::vector<GemmSample>& samples);

}  // namespace shardsim::calibrate
