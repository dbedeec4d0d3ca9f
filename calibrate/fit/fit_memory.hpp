// Memory-bound kernels: shares of the memory bandwidth and the latency of a kernel.
#pragma once

#include <string>
#include <vector>

#include "calibrate/samples/samples.hpp"

namespace shardsim::calibrate {

/// Median bandwidth over `peak` of kernels that move at least 64 MB, so that no cache holds them; samples without a
/// time are streams of that kind. Throws InputError where there are none and for one faster than the peak.
[[nodiscard]] double bandwidth_share(const std::vector<MemorySample>& samples, BytesPerSecond peak,
                                     const std::string& what);

/// Intercept of time over bytes below 4 MB (least squares): what a kernel takes that moves nothing.
[[nodiscard]] Seconds kernel_latency(const std::vector<MemorySample>& samples, const std::string& what);

}  // namespace shardsim::calibrate
