// What both engines make of the terms that they found: interval, rates, utilisation of the peak.
#pragma once

#include "sim/engine/block_time.hpp"
#include "sim/engine/prediction.hpp"
#include "sim/engine/time_terms.hpp"

namespace shardsim::engine {

/// Relative standard deviations that a prediction's interval is made of: the device's error on its share of the time,
/// the network's on that of exposed communication, the stack's on the whole.
struct ErrorParts {
  double device = 0.0;
  double network = 0.0;
  double stack = 0.0;
};
[[nodiscard]] ErrorParts error_parts(const model::Scenario& scenario, const TermTimes& terms);

[[nodiscard]] Prediction assemble(const model::Scenario& scenario, TermTimes terms,
                                  const CommunicationByGroup& communication, memory::Memory memory);

}  // namespace shardsim::engine
