// Binding a rank to one core.
#pragma once

#include <cstdint>

namespace shardsim::kernels {

/// A core of its own for this rank among the ranks of its machine, as Open MPI counts them (else all are on this one).
/// Nothing happens where the process may use fewer cores than there are ranks, or where the system refuses.
void pin_to_core(std::int64_t rank, std::int64_t ranks);

}  // namespace shardsim::kernels
