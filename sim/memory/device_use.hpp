// From allocated tensors to what the device shows, and the chance that it runs out.
#pragma once

#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::memory {

/// Matrix-product workspaces inside the framework's allocator: one of cuBLAS per thread and stream that uses it
/// (forward and autograd), and the stack's own.
[[nodiscard]] Bytes workspace(const model::Scenario& scenario);

/// Peak of what PyTorch's caching allocator holds: allocated · (1 + fragmentation).
[[nodiscard]] Bytes reserved(const model::Stack& stack, Bytes allocated);

/// NCCL communicators that a rank opens: one per group of more than one rank.
[[nodiscard]] std::int64_t communicators(const model::Scenario& scenario);

/// CUDA context and NCCL buffers, outside the framework's allocator.
[[nodiscard]] Bytes outside_framework(const model::Scenario& scenario);

/// P(needed > capacity) for a need known to a relative standard deviation `relative_error` (normal).
[[nodiscard]] double out_of_memory_probability(Bytes needed, Bytes capacity, double relative_error);

}  // namespace shardsim::memory
