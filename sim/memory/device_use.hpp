// From allocated tensors to what the device shows, and the chance that it runs out.
#pragma once

#include <cstdint>

#include "sim/base/units.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/rank_sizes.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::memory {

/// Matrix-product workspaces inside the framework's allocator: one of cuBLAS per thread and stream that uses it
/// (forward and autograd), and the stack's own.
[[nodiscard]] Bytes workspace(const model::Scenario& scenario);

/// Peak of what PyTorch's caching allocator holds: allocated · (1 + fragmentation).
[[nodiscard]] Bytes reserved(const model::Stack& stack, Bytes allocated);

/// What ring attention keeps reserved beyond the peak: cp − 1 steps in every layer of the stage.
[[nodiscard]] Bytes ring_attention_blocks(const model::Scenario& scenario, const model::RankSizes& sizes,
                                          const model::Stage& stage);

/// NCCL communicators that a rank opens: one per group of more than one rank; the context-parallel group is one, and
/// the group that shares gradients (dp · cp) another.
[[nodiscard]] std::int64_t communicators(const model::Scenario& scenario);

/// CUDA context and NCCL buffers, outside the framework's allocator.
[[nodiscard]] Bytes outside_framework(const model::Scenario& scenario);

/// P(needed > capacity) for a need known to a relative standard deviation `relative_error` (normal).
[[nodiscard]] double out_of_memory_probability(Bytes needed, Bytes capacity, double relative_error);

}  // namespace shardsim::memory
