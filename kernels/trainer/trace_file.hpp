// --trace: one iteration of all ranks as the simulator draws its predictions.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/communicator/communicator.hpp"
#include "kernels/trainer/recording.hpp"
#include "sim/model/parallelism.hpp"

namespace shardsim::kernels {

/// The recorded iteration of every rank as a trace, on rank 0; "" elsewhere. Collective.
[[nodiscard]] std::string trace_of(const Recording& recording, const model::Parallelism& parallelism,
                                   Communicator& world);

}  // namespace shardsim::kernels
