#include "sim/cost/memory_bound.hpp"

#include "sim/base/check.hpp"

namespace shardsim::cost {

double memory_bound_efficiency(const hardware::MemoryBoundProfile& profile, model::OperatorKind kind) {
  using model::OperatorKind;
  switch (kind) {
    case OperatorKind::elementwise:
    case OperatorKind::embedding:
      return profile.elementwise_efficiency;
    case OperatorKind::normalization:
      return profile.normalization_efficiency;
    case OperatorKind::softmax:
    case OperatorKind::cross_entropy:
      return profile.softmax_efficiency;
    case OperatorKind::optimizer:
      return profile.optimizer_efficiency;
    default:
      SHARDSIM_CHECK(false, "not a memory-bound operator");
      return 0.0;
  }
}

Seconds memory_bound_time(const hardware::Device& device, model::OperatorKind kind, Bytes bytes, int launches,
                          double slowdown) {
  const double efficiency = memory_bound_efficiency(device.memory_bound, kind);
  SHARDSIM_CHECK(efficiency > 0.0 && device.memory_bandwidth.value() > 0.0, device.name + " has no memory profile");
  return static_cast<double>(launches) * device.kernel_latency +
         slowdown * (bytes / (efficiency * device.memory_bandwidth));
}

}  // namespace shardsim::cost
