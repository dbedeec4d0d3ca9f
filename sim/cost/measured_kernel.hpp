// Memory-bound operators on devices whose kernels were timed one by one.
#pragma once

#include <optional>
#include <vector>

#include "sim/hardware/kernels.hpp"
#include "sim/model/model.hpp"
#include "sim/model/operators.hpp"

namespace shardsim::cost {

/// The kernel that runs an operator of the list; nothing for small change (a token's loss, a pooler).
[[nodiscard]] std::optional<hardware::Kernel> kernel_of(const model::Operator& op, const model::Model& model);

/// Bandwidth of a kernel that moves `bytes`: between measured sizes linear in log(bytes), constant outside; 0 where it
/// was not measured.
[[nodiscard]] BytesPerSecond measured_bandwidth(const std::vector<hardware::MeasuredKernel>& points,
                                                hardware::Kernel kernel, Bytes bytes);

}  // namespace shardsim::cost
