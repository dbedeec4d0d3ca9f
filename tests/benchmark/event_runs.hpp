// Scenarios that the event engine is timed on.
#pragma once

#include <string>

#include "sim/input/resolve.hpp"
#include "sim/input/scenario_file.hpp"
#include "tests/benchmark/gpt3.hpp"

namespace shardsim::benchmarks {

inline model::Scenario preset_run(const std::string& name) {
  Problems problems;
  return input::resolve(input::read_scenario(input::find_preset("runs", name)->text, name, problems));
}

/// 96 layers on 8 stages, 64 micro batches.
inline model::Scenario gpt3_pp8() {
  model::Scenario scenario = input::resolve(gpt3_settings());
  scenario.training.global_batch_size = 64 * scenario.parallelism.data_parallel_size;
  return scenario;
}

}  // namespace shardsim::benchmarks
