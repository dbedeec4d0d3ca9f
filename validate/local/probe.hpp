// A fixed piece of work that shows whether the machine has become faster or slower meanwhile.
#pragma once

#include <cstdint>

#include "sim/model/operators.hpp"

namespace shardsim::validate::local {

/// A matrix product of this shape in fp32, as the trainer computes it, on all cores at once.
[[nodiscard]] model::Operator probe_operator();

/// Seconds that one product takes on the slowest core: undisturbed, of some tens of milliseconds.
[[nodiscard]] double probe_seconds(std::int64_t cores);

}  // namespace shardsim::validate::local
