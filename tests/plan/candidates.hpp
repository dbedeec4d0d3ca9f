// Candidates made by hand, and a small job with real predictions.
#pragma once

#include <array>
#include <cstddef>

#include "sim/engine/closed_form.hpp"
#include "sim/engine/time_terms.hpp"
#include "sim/plan/search.hpp"
#include "tests/support/scenarios.hpp"

namespace shardsim::tests {

/// Two nodes of eight devices of 312 TFLOP/s fp16 and 40 GiB; 0.4 B parameters.
inline model::Scenario two_nodes_job() {
  model::Scenario scenario = gpt(24, 1024, 16, 1024, 1);
  hardware::Cluster& cluster = scenario.cluster;
  cluster.gpus_per_node = 8;
  cluster.nics_per_node = 8;
  cluster.intra_node = {BytesPerSecond{300e9}, 0.75, Seconds{6.6e-6}, Seconds{0.6e-6}};
  cluster.inter_node = {BytesPerSecond{25e9}, 0.9, Seconds{6.6e-6}, Seconds{2.7e-6}};
  hardware::Device& device = cluster.device;
  device.memory_capacity = 40_GiB;
  device.memory_bandwidth = BytesPerSecond{2e12};
  device.multiprocessors = 108;
  device.gemm[static_cast<std::size_t>(model::DType::fp16)].peak = FlopsPerSecond{312e12};
  device.gemm[static_cast<std::size_t>(model::DType::fp16)].efficiency = 0.7;
  device.attention = {0.5, 0.5, 0.0};
  device.memory_bound = {0.8, 0.8, 0.8, 0.8};
  scenario.gpus = 16;
  scenario.parallelism.data_parallel_size = 16;
  scenario.training.global_batch_size = 64;
  return scenario;
}

inline plan::Candidate candidate_of(const model::Scenario& scenario) {
  return {plan::degrees_of(scenario), scenario, engine::predict(scenario)};
}

/// One stage that uses so much, and an iteration of these terms (in their order).
inline plan::Candidate made_up(const std::array<double, engine::kTerms>& seconds, Bytes used = 10_GiB,
                               std::int64_t gpus = 1) {
  plan::Candidate candidate;
  candidate.scenario.gpus = gpus;
  candidate.scenario.training.micro_batch_size = candidate.scenario.training.global_batch_size = 1;
  for (std::size_t i = 0; i < engine::kTerms; ++i) {
    candidate.prediction.time.push_back({engine::kTermNames[i], Seconds{seconds[i]}});
    candidate.prediction.iteration += Seconds{seconds[i]};
  }
  candidate.prediction.memory.stages.resize(1);
  candidate.prediction.memory.stages[0].device_used = used;
  candidate.prediction.memory.device_total = 40_GiB;
  return candidate;
}

/// All of the time in matrix products.
inline plan::Candidate taking(double seconds, Bytes used, std::int64_t gpus) { return made_up({seconds}, used, gpus); }

}  // namespace shardsim::tests
