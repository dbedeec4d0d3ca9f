// Kernels that wait for device memory: norms, softmax, dropout, activation, embedding, loss, optimizer.
#pragma once

#include "sim/hardware/device.hpp"
#include "sim/model/operators.hpp"

namespace shardsim::cost {

/// Share of the memory bandwidth that kernels of this kind reach. Embedding counts as elementwise, cross entropy as
/// softmax.
[[nodiscard]] double memory_bound_efficiency(const hardware::MemoryBoundProfile& profile, model::OperatorKind kind);

/// T = launches · kernel latency + bytes / (bandwidth · efficiency) · slowdown; `slowdown` is the stack's, for kernels
/// other than the device's fused ones.
[[nodiscard]] Seconds memory_bound_time(const hardware::Device& device, model::OperatorKind kind, Bytes bytes,
                                        int launches, double slowdown);

}  // namespace shardsim::cost
