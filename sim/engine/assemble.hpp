// What both engines make of the terms that they found: interval, rates, utilisation of the peak.
#pragma once

#include "sim/engine/block_time.hpp"
#include "sim/engine/prediction.hpp"
#include "sim/engine/time_terms.hpp"

namespace shardsim::engine {

[[nodiscard]] Prediction assemble(const model::Scenario& scenario, TermTimes terms,
                                  const CommunicationByGroup& communication, memory::Memory memory);

}  // namespace shardsim::engine
