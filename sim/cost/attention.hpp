// Fused attention kernels (Dao et al. 2022): scores never reach device memory.
#pragma once

#include "sim/hardware/device.hpp"
#include "sim/model/dtype.hpp"
#include "sim/model/operators.hpp"

namespace shardsim::cost {

/// Format of the attention products: fp8 training keeps them in bf16 (Transformer Engine's default).
[[nodiscard]] model::DType attention_format(model::DType training_format);

/// Share of the matrix peak: forward or backward efficiency · n/(n + sequence_half) · k/(k + head_half), n keys of
/// size k.
[[nodiscard]] double attention_efficiency(const hardware::AttentionProfile& profile, model::Pass pass,
                                          const model::Shape& shape);

/// T = kernel latency + roofline(F, peak · attention_efficiency / sustained slowdown, bytes, memory bandwidth). A
/// causal mask has already halved F (and FlashAttention skips the masked blocks).
[[nodiscard]] Seconds attention_time(const hardware::Device& device, model::DType dtype, model::Pass pass,
                                     const model::Shape& shape, Flops work, Bytes bytes);

}  // namespace shardsim::cost
