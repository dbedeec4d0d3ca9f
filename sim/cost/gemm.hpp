// Matrix products: roofline times named efficiencies.
#pragma once

#include "sim/hardware/device.hpp"
#include "sim/model/dtype.hpp"
#include "sim/model/operators.hpp"

namespace shardsim::cost {

/// The profile of one number format.
[[nodiscard]] const hardware::GemmProfile& gemm_profile(const hardware::Device& device, model::DType dtype);

/// Roofline (Williams et al. 2009): max(F / rate, bytes / bandwidth).
[[nodiscard]] Seconds roofline(Flops work, FlopsPerSecond rate, Bytes bytes, BytesPerSecond bandwidth);

/// x/(x + half): the share reached at size x where `half` reaches one half; 1 for half = 0. Form that fitted H100 and
/// H200 GEMM tables within 3.4-4.3 % on held-out shapes.
[[nodiscard]] double saturation(double size, double half);

/// Useful share of the output tiles' area: m/(⌈m/tile_m⌉·tile_m) · n/(⌈n/tile_n⌉·tile_n) (NVIDIA, "Matrix
/// Multiplication Background User's Guide", tile quantization); 1 without tiles.
[[nodiscard]] double tile_efficiency(const hardware::GemmProfile& profile, const model::Shape& shape);

/// Useful share of the multiprocessors over all waves: tiles/(⌈tiles/SMs⌉·SMs) (ibid., wave quantization).
[[nodiscard]] double wave_efficiency(const hardware::GemmProfile& profile, std::int64_t multiprocessors,
                                     const model::Shape& shape);

/// misaligned_slowdown where m, n or k is no multiple of 8 elements (ibid., "Tensor Core requirements"), else 1.
[[nodiscard]] double alignment_slowdown(const hardware::GemmProfile& profile, const model::Shape& shape);

/// Share of the peak that a (batched) product reaches: efficiency · saturation(m·batch) · saturation(n) ·
/// saturation(k) · tile · wave / alignment. Rows of all products of a batch fill the device together.
[[nodiscard]] double gemm_efficiency(const hardware::Device& device, const hardware::GemmProfile& profile,
                                     const model::Shape& shape);

/// Time over that of the forward product of this shape, by the layout that the pass reads: the profile's slowdowns;
/// both gradients in one operator have the mean.
[[nodiscard]] double layout_slowdown(const hardware::GemmProfile& profile, model::Pass pass);

/// The batched products of unfused attention: as gemm_time, by the device's own profile of them where there is one. Its
/// rows saturate product by product.
[[nodiscard]] Seconds batched_gemm_time(const hardware::Device& device, model::DType dtype, model::Pass pass,
                                        const model::Shape& shape, Flops work, Bytes bytes);

/// T = kernel latency + roofline(F, peak · gemm_efficiency / (layout_slowdown · sustained slowdown), bytes, memory
/// bandwidth).
[[nodiscard]] Seconds gemm_time(const hardware::Device& device, model::DType dtype, model::Pass pass,
                                const model::Shape& shape, Flops work, Bytes bytes);

}  // namespace shardsim::cost
