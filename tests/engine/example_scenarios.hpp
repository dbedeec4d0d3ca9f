// Scenarios for tests: a made-up device and cluster in round numbers, and random valid layouts on it.
#pragma once

#include <random>

#include "sim/model/layout.hpp"
#include "sim/model/scenario.hpp"
#include "tests/support/scenarios.hpp"

namespace shardsim::engine {

inline hardware::Device example_device() {
  hardware::Device device;
  device.name = "example";
  device.memory_capacity = 80_GiB;
  device.memory_bandwidth = BytesPerSecond{2e12};
  device.multiprocessors = 100;
  device.kernel_latency = Seconds{2e-6};
  for (hardware::GemmProfile& gemm : device.gemm) {
    gemm.peak = FlopsPerSecond{300e12};
    gemm.efficiency = 0.7;
    gemm.m_half = gemm.n_half = gemm.k_half = 64.0;
  }
  device.attention = {0.5, 0.4, 256.0};
  device.memory_bound = {0.85, 0.75, 0.65, 0.8};
  device.communication_slowdown = 1.1;
  device.error = 0.1;
  return device;
}

inline hardware::Cluster example_cluster() {
  hardware::Cluster cluster;
  cluster.name = "example";
  cluster.device = example_device();
  cluster.gpus_per_node = 8;
  cluster.intra_node = {BytesPerSecond{300e9}, 0.75, Seconds{10e-6}, Seconds{2e-6}};
  cluster.nics_per_node = 8;
  cluster.inter_node = {BytesPerSecond{25e9}, 0.8, Seconds{15e-6}, Seconds{8e-6}};
  cluster.error = 0.2;
  return cluster;
}

/// GPT of 24 layers and 1.3 billion parameters on one GPU.
inline model::Scenario example_scenario() {
  model::Scenario scenario = tests::gpt(24, 2048, 16, 2048, 1);
  scenario.cluster = example_cluster();
  scenario.model.vocab_size = 50257;
  scenario.training.precision = model::DType::bf16;
  scenario.training.gradient_dtype = model::DType::fp32;
  scenario.training.global_batch_size = 16;
  scenario.stack.host.per_launch = Seconds{5e-6};
  scenario.stack.host.per_iteration = Seconds{5e-3};
  scenario.stack.gradient_bucket = 64_MiB;
  scenario.stack.error.time = 0.1;
  return scenario;
}

using tests::divide;

/// Deterministic for a seed; every one has a valid layout.
class RandomScenarios {
 public:
  explicit RandomScenarios(unsigned seed) : random_{seed} {}

  model::Scenario next() {
    model::Scenario scenario = example_scenario();
    model::Parallelism& parallelism = scenario.parallelism;
    parallelism.context_parallel_size = power_of_two(1);
    const std::int64_t pp = power_of_two(3);
    divide(scenario, power_of_two(3), pp, power_of_two(4), pp * (1 + pick(8)));
    scenario.gpus *= parallelism.context_parallel_size;
    parallelism.sequence_parallel = parallelism.tensor_model_parallel_size > 1 && coin();
    parallelism.zero_stage = static_cast<int>(pick(4));
    parallelism.overlap = {coin(), coin(), coin(), coin()};
    parallelism.rank_order = coin() ? model::RankOrder::tp_cp_dp_pp : model::RankOrder::tp_cp_pp_dp;
    parallelism.cp_comm_type = static_cast<model::ContextParallelComm>(pick(4));
    choose_schedule(parallelism);
    model::Training& training = scenario.training;
    training.recompute.granularity = static_cast<model::RecomputeGranularity>(pick(4));
    training.recompute.method = coin() ? model::RecomputeMethod::uniform : model::RecomputeMethod::block;
    training.attention_kernel = coin() ? model::AttentionKernel::flash : model::AttentionKernel::unfused;
    scenario.stack.host.per_launch = Seconds{1e-6 * static_cast<double>(pick(40))};
    if (coin()) scenario.model.output_weights = model::OutputWeights::untied;
    return scenario;
  }

 private:
  std::int64_t pick(std::int64_t choices) {
    return static_cast<std::int64_t>(random_() % static_cast<unsigned>(choices));
  }
  bool coin() { return pick(2) == 0; }
  std::int64_t power_of_two(std::int64_t most) { return std::int64_t{1} << pick(most + 1); }

  void choose_schedule(model::Parallelism& parallelism) {
    using model::Schedule;
    parallelism.schedule = static_cast<Schedule>(pick(6));
    const bool interleaved = parallelism.schedule == Schedule::interleaved_one_f_one_b;
    if (interleaved && parallelism.pipeline_model_parallel_size > 1) {
      parallelism.virtual_pipeline_model_parallel_size = parallelism.pipeline_model_parallel_size == 8 ? 3 : 2;
    } else if (interleaved) {
      parallelism.schedule = Schedule::one_f_one_b;
    }
  }

  std::mt19937 random_;
};

}  // namespace shardsim::engine
