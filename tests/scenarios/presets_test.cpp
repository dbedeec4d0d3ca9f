#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sim/engine/closed_form.hpp"
#include "sim/plan/changes_that_fit.hpp"
#include "tests/scenarios/load.hpp"

namespace shardsim::tests {
namespace {

using Names = std::set<std::string>;

Names names(std::string_view kind) {
  Names result;
  for (const input::Preset& preset : input::presets()) {
    if (preset.kind == kind) result.insert(preset.name);
  }
  return result;
}

/// What of `wanted` is not there.
Names missing(const Names& wanted, const Names& there) {
  Names result;
  for (const std::string& name : wanted) {
    if (there.count(name) == 0) result.insert(name);
  }
  return result;
}

/// Finite, positive and consistent in itself.
void expect_sound(const model::Scenario& scenario, const engine::Prediction& prediction) {
  EXPECT_TRUE(std::isfinite(prediction.iteration.value())) << scenario.name;
  EXPECT_GT(prediction.iteration, Seconds{0.0}) << scenario.name;
  EXPECT_LT(prediction.iteration_p10, prediction.iteration) << scenario.name;
  EXPECT_GT(prediction.iteration_p90, prediction.iteration) << scenario.name;
  Seconds sum{0.0};
  for (const engine::TimeTerm& term : prediction.time) {
    EXPECT_GE(term.time, Seconds{0.0}) << scenario.name << ": " << term.name;
    sum += term.time;
  }
  EXPECT_NEAR(sum / prediction.iteration, 1.0, 1e-12) << scenario.name;
  for (const memory::StageMemory& stage : prediction.memory.stages) {
    const Bytes parts = stage.parameters + stage.gradients + stage.optimizer + stage.activations + stage.temporaries +
                        stage.logits + stage.workspace;
    EXPECT_EQ(parts, stage.peak_allocated) << scenario.name << ", stage " << stage.stage;
  }
}

TEST(Presets, TheNamesOfThePublicRecordAreThere) {
  const Names clusters{"v100-dgx1",         "v100-dgx2",      "v100-dgx2h",      "v100-16gb-edr1", "v100-jeanzay",
                       "v100-16gb-jeanzay", "a100-40gb-dgx",  "a100-40gb-roce8", "a100-dgx",       "a100-hdr4",
                       "a100-roce8",        "a100-roce4x100", "a100-jeanzay",    "h100-dgx",       "h100-efa",
                       "h100-96gb-rdma400", "h200-hgx",       "b200-dgx",        "gb200-nvl"};
  const Names devices{"v100-16gb", "v100-32gb",      "v100-32gb-450w", "a100-80gb",
                      "h100-80gb", "h100-96gb-500w", "h200-141gb",     "b200-180gb"};
  const Names stacks{"megatron-lm-2019",
                     "megatron-lm-2021",
                     "megatron-lm-2022",
                     "megatron-core-te",
                     "megatron-core-local",
                     "megatron-zero-bubble",
                     "megatron-deepspeed",
                     "nemo",
                     "nanotron",
                     "aleph-alpha-scaling",
                     "pytorch-fsdp",
                     "torchtitan",
                     "internevo",
                     "oneflow",
                     "nvidia-bert",
                     "shardsim"};
  EXPECT_EQ(missing(clusters, names("clusters")), Names{});
  EXPECT_EQ(missing(devices, names("devices")), Names{});
  EXPECT_EQ(missing(stacks, names("stacks")), Names{});
}

TEST(Presets, EveryOneHasATitle) {
  for (const input::Preset& preset : input::presets()) {
    const std::string title = input::preset_title(preset);
    EXPECT_FALSE(title.empty()) << preset.kind << "/" << preset.name;
    EXPECT_LE(title.size(), 100U) << preset.kind << "/" << preset.name;
    EXPECT_EQ(title.find('\n'), std::string::npos) << preset.kind << "/" << preset.name;
  }
}

TEST(Presets, EveryModelPredicts) {
  for (const std::string& model : names("models")) {
    const model::Scenario scenario = load(model, "megatron-core-te", "a100-dgx");
    expect_sound(scenario, engine::predict(scenario));
  }
}

TEST(Presets, EveryStackPredicts) {
  for (const std::string& stack : names("stacks")) {
    const model::Scenario scenario = load("gpt2-124m", stack, "a100-dgx");
    EXPECT_EQ(scenario.stack.name, stack);
    const std::string& provenance = scenario.stack.provenance;
    const bool says_how_sure =
        provenance.find("Provisional") != std::string::npos || provenance.find("fitted") != std::string::npos;
    EXPECT_TRUE(says_how_sure) << stack << ": " << provenance;
    expect_sound(scenario, engine::predict(scenario));
  }
}

TEST(Presets, EveryClusterPredictsOnItsOwnDevice) {
  Names devices;
  for (const std::string& cluster : names("clusters")) {
    const model::Scenario scenario = load("gpt2-124m", "megatron-lm-2021", cluster);
    EXPECT_EQ(scenario.cluster.name, cluster);
    devices.insert(scenario.cluster.device.name);
    expect_sound(scenario, engine::predict(scenario));
  }
  // Each device serves some cluster.
  EXPECT_EQ(missing(names("devices"), devices), Names{});
}

TEST(Presets, DevicesHaveOnlyTheFormatsOfTheirGeneration) {
  for (const std::string& cluster : names("clusters")) {
    const auto& device = load("gpt2-124m", "megatron-lm-2021", cluster).cluster.device;
    const auto has = [&device](model::DType format) {
      return device.gemm[static_cast<std::size_t>(format)].peak > FlopsPerSecond{0.0};
    };
    const bool volta = device.name.rfind("v100", 0) == 0;
    const bool hopper_or_newer = !volta && device.name.rfind("a100", 0) != 0;
    EXPECT_EQ(has(model::DType::bf16), !volta) << device.name;
    EXPECT_EQ(has(model::DType::fp8), hopper_or_newer) << device.name;
    EXPECT_TRUE(has(model::DType::fp16)) << device.name;
  }
}

TEST(Presets, UsableMemoryIsTheMeasuredOne) {
  const auto capacity = [](const char* cluster) {
    return load("gpt2-124m", "megatron-lm-2021", cluster).cluster.device.memory_capacity.as_double() /
           (1_GiB).as_double();
  };
  EXPECT_NEAR(capacity("v100-dgx2h"), 31.73, 1e-6);
  EXPECT_NEAR(capacity("a100-dgx"), 79.2, 1e-6);
  EXPECT_NEAR(capacity("h100-dgx"), 81'559.0 / 1024.0, 1e-6);
  EXPECT_NEAR(capacity("h200-hgx"), 143'771.0 / 1024.0, 1e-6);
}

TEST(Runs, EveryOnePredictsAndAllButTheNegativeOneFit) {
  for (const std::string& run : names("runs")) {
    const model::Scenario scenario = load_run(run);
    EXPECT_EQ(scenario.name, run);
    const engine::Prediction prediction = engine::predict(scenario);
    expect_sound(scenario, prediction);
    EXPECT_EQ(prediction.memory.fits(), run != "gpt2-8.3b-1-v100") << run;
  }
}

TEST(Runs, DegreesMakeUpTheGpus) {
  for (const std::string& run : names("runs")) {
    const model::Scenario scenario = load_run(run);
    const model::Parallelism& parallelism = scenario.parallelism;
    EXPECT_EQ(parallelism.tensor_model_parallel_size * parallelism.pipeline_model_parallel_size *
                  parallelism.context_parallel_size * parallelism.data_parallel_size,
              scenario.gpus)
        << run;
  }
}

TEST(Runs, TheTableOfScenariosIsComplete) {
  Names wanted{"megatron-bert-336m",  "megatron-bert-1.3b",  "megatron-bert-3.9b",     "turing-nlg-17b",
               "gpt3-175b-1024-a100", "gpt3-175b-512-a100",  "gpt3-175b-128-h100-fp8", "llm-jp-172b-512-h100",
               "mt-nlg-530b-280-dgx", "mt-nlg-530b-350-dgx", "mt-nlg-530b-420-dgx",    "gpt2-8.3b-1-v100"};
  for (const char* size : {"1.2b-1", "2.5b-2", "4.2b-4", "8.3b-8", "1.2b-64", "2.5b-128", "4.2b-256", "8.3b-512"}) {
    wanted.insert("megatron-gpt2-" + std::string(size) + "-v100");
  }
  for (const char* size : {"1.7b", "3.6b", "7.5b", "18.4b", "39.1b", "76.1b", "145.6b", "310.1b", "529.6b", "1008b"}) {
    wanted.insert("sc21-table1-" + std::string(size));
  }
  for (const char* size : {"22b", "175b", "530b", "1t"}) {
    wanted.insert("korthikanti-table5-" + std::string(size) + "-full");
    wanted.insert("korthikanti-table5-" + std::string(size) + "-selective");
  }
  EXPECT_EQ(missing(wanted, names("runs")), Names{});
}

TEST(Runs, TheNegativeOneNamesItsReasonAndWhatWouldFit) {
  const model::Scenario scenario = load_run("gpt2-8.3b-1-v100");
  const engine::Prediction prediction = engine::predict(scenario);
  // 16 bytes a parameter of state, and more: over 124 GiB on a 31.73 GiB device.
  EXPECT_GT(prediction.memory.worst().peak_allocated, 124_GiB);
  EXPECT_EQ(prediction.memory.device_total, scenario.cluster.device.memory_capacity);
  const auto changes = plan::changes_that_fit(scenario);
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes.front().description, "tensor parallel 8 instead of 1, on 8 GPUs");
}

}  // namespace
}  // namespace shardsim::tests
