#include "sim/cost/attention.hpp"

#include "sim/base/check.hpp"
#include "sim/cost/gemm.hpp"

namespace shardsim::cost {

model::DType attention_format(model::DType training_format) {
  return training_format == model::DType::fp8 ? model::DType::bf16 : training_format;
}

double attention_efficiency(const hardware::AttentionProfile& profile, model::Pass pass, const model::Shape& shape) {
  const bool forward = pass == model::Pass::forward || pass == model::Pass::recompute;
  return (forward ? profile.forward_efficiency : profile.backward_efficiency) *
         saturation(static_cast<double>(shape.n), profile.sequence_half) *
         saturation(static_cast<double>(shape.k), profile.head_half);
}

Seconds attention_time(const hardware::Device& device, model::DType dtype, model::Pass pass, const model::Shape& shape,
                       Flops work, Bytes bytes) {
  const FlopsPerSecond peak = gemm_profile(device, attention_format(dtype)).peak;
  const double efficiency = attention_efficiency(device.attention, pass, shape) / device.sustained_slowdown;
  SHARDSIM_CHECK(peak.value() > 0.0 && efficiency > 0.0, device.name + " has no attention kernel for this format");
  return device.kernel_latency + roofline(work, efficiency * peak, bytes, device.memory_bandwidth);
}

}  // namespace shardsim::cost
