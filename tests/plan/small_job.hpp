// A job that fits one small node many ways.
#pragma once

#include "tests/support/scenarios.hpp"

namespace shardsim::tests {

/// 8 devices of 312 TFLOP/s fp16 and 40 GiB in one node; 0.4 B parameters.
inline model::Scenario small_job() {
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
  scenario.gpus = 8;
  scenario.training.global_batch_size = 64;
  return scenario;
}

}  // namespace shardsim::tests
