// A hand-made prediction: numbers chosen so that their sums are exact.
#pragma once

#include "sim/report/report.hpp"
#include "tests/support/scenarios.hpp"

namespace shardsim::tests {

/// 2 layers, hidden 256, 4 heads, tp 2 x pp 2 x dp 4 on 16 GPUs, 8 micro batches.
inline model::Scenario example_scenario() {
  model::Scenario scenario = gpt(2, 256, 4, 128, 2);
  divide(scenario, 2, 2, 4, 8);
  scenario.name = "example";
  scenario.stack.name = "some-stack";
  scenario.cluster.name = "some-cluster";
  scenario.cluster.device.name = "some-device";
  scenario.cluster.device.gemm[static_cast<std::size_t>(model::DType::fp16)].peak = FlopsPerSecond{128e12};
  scenario.assumed = {{"model.vocab_size", "50257", "the GPT-2 vocabulary"}};
  scenario.warnings = {"something to know"};
  return scenario;
}

/// Components of stage `index`, in GiB, that sum to 28 + index; peak reserved + 1, device + 2.
inline memory::StageMemory example_stage(std::int64_t index) {
  memory::StageMemory stage;
  stage.stage = index;
  stage.parameters = 4_GiB;
  stage.gradients = 2_GiB;
  stage.optimizer = 12_GiB;
  stage.activations = 6_GiB + Bytes{index << 30};
  stage.temporaries = 1_GiB;
  stage.logits = 2_GiB;
  stage.workspace = 1_GiB;
  stage.peak_allocated = 28_GiB + Bytes{index << 30};
  stage.peak_reserved = stage.peak_allocated + 1_GiB;
  stage.device_used = stage.peak_allocated + 2_GiB;
  stage.peak_moment = "backward";
  return stage;
}

inline engine::Prediction example_prediction(Bytes device_total, double out_of_memory_probability) {
  engine::Prediction prediction;
  prediction.iteration = Seconds{2.0};
  prediction.iteration_p10 = Seconds{1.5};
  prediction.iteration_p90 = Seconds{2.5};
  prediction.time = {{"matrix_multiply", Seconds{1.0}}, {"memory_bound", Seconds{0.5}}, {"optimizer", Seconds{0.5}}};
  prediction.communication = {{model::Group::tensor, Seconds{0.5}, Seconds{0.25}, 3_GiB},
                              {model::Group::data, Seconds{0.25}, Seconds{0.125}, 1_GiB}};
  prediction.flops = {Flops{4e15}, Flops{3e15}, Flops{5e15}};
  prediction.tokens_per_s = 4096.0;
  prediction.model_flops_per_gpu = FlopsPerSecond{64e12};
  prediction.hardware_flops_per_gpu = FlopsPerSecond{96e12};
  prediction.mfu = 0.5;
  prediction.hfu = 0.75;
  prediction.memory.stages = {example_stage(0), example_stage(1)};
  prediction.memory.worst_stage = 1;
  prediction.memory.device_total = device_total;
  prediction.memory.out_of_memory_probability = out_of_memory_probability;
  return prediction;
}

/// Stage 1 uses 31 GiB.
inline engine::Prediction fitting() { return example_prediction(40_GiB, 0.125); }
inline engine::Prediction not_fitting() { return example_prediction(20_GiB, 0.875); }

inline plan::Change example_change() {
  plan::Change change;
  change.description = "micro_batch_size 1 instead of 2";
  change.flags = {"--micro-batch-size 1"};
  change.scenario = example_scenario();
  change.prediction = fitting();
  change.time_cost = 0.25;
  return change;
}

}  // namespace shardsim::tests
