// What both engines make of the terms that they found: interval, rates, utilisation of the peak.
#pragma once

#include "sim/engine/block_time.hpp"
#include "sim/engine/prediction.hpp"
#include "sim/engine/time_terms.hpp"

namespace shardsim::engine {

/// Jobs that run out of memory less probably lose nothing to their limit.
constexpr double kNearLimit = 1e-3;

/// The loss where memory reaches the device's limit, times the probability that it does: of a job that runs, its need
/// is either below the limit, or was estimated too high. Nothing below kNearLimit. Precondition: no such loss is among
/// the terms.
void add_allocator_retries(const model::Scenario& scenario, double out_of_memory_probability, TermTimes& terms);

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
