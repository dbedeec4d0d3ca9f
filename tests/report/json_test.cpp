#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/report/example.hpp"

namespace shardsim::tests {
namespace {

using nlohmann::ordered_json;
using Keys = std::vector<std::string>;

std::string json_text(const model::Scenario& scenario, const engine::Prediction& prediction,
                      const std::vector<plan::Change>& changes) {
  std::ostringstream out;
  report::write_json(out, scenario, prediction, changes);
  return out.str();
}

ordered_json json_of(const engine::Prediction& prediction, const std::vector<plan::Change>& changes = {}) {
  return ordered_json::parse(json_text(example_scenario(), prediction, changes));
}

Keys keys(const ordered_json& object) {
  Keys names;
  for (const auto& item : object.items()) names.push_back(item.key());
  return names;
}

// The keys that programs rely on: a new one is appended here, none goes away.
TEST(Json, HasTheDocumentedKeysInOrder) {
  const ordered_json json = json_of(fitting());
  EXPECT_EQ(keys(json),
            (Keys{"name", "iteration_s", "iteration_s_p10", "iteration_s_p90", "tokens_per_s", "model_tflops_per_gpu",
                  "hardware_tflops_per_gpu", "mfu", "hfu", "mfu_causal", "peak_tflops", "peak_format", "time",
                  "communication", "memory", "resolved", "assumed", "warnings"}));
  EXPECT_EQ(keys(json["memory"]),
            (Keys{"peak_allocated_bytes", "peak_reserved_bytes", "device_used_bytes", "device_total_bytes", "fits",
                  "margin_bytes", "out_of_memory_probability", "worst_stage", "stages"}));
  EXPECT_EQ(keys(json["memory"]["stages"][0]),
            (Keys{"stage", "parameters", "gradients", "optimizer", "activations", "temporaries", "logits", "workspace",
                  "peak_allocated_bytes", "peak_reserved_bytes", "device_used_bytes", "peak_moment"}));
  EXPECT_EQ(keys(json["communication"]["tensor"]), (Keys{"total_s", "exposed_s", "bytes"}));
  EXPECT_EQ(keys(json["resolved"]),
            (Keys{"name", "gpus", "parameters", "bytes_per_parameter", "data_parallel_size",
                  "micro_batches_per_iteration", "layers_per_stage", "padded_vocab_size", "zero_stage", "stack",
                  "cluster", "device", "peak_format", "model", "parallelism", "training"}));
  EXPECT_EQ(keys(json["assumed"][0]), (Keys{"key", "value", "reason"}));
}

TEST(Json, WhereTheJobDoesNotFitSaysWhyAndWhatWould) {
  const ordered_json json = json_of(not_fitting(), {example_change()});
  const Keys all = keys(json);
  EXPECT_EQ(Keys(all.end() - 2, all.end()), (Keys{"biggest_terms", "changes_that_fit"}));
  EXPECT_EQ(json["memory"]["fits"], false);
  EXPECT_EQ(json["memory"]["margin_bytes"], -(std::int64_t{11} << 30));  // 20 GiB - 31 GiB
  // Stage 1: optimizer 12, activations 7, parameters 4 GiB ...
  EXPECT_EQ(json["biggest_terms"][0], (ordered_json{{"component", "optimizer"}, {"bytes", std::int64_t{12} << 30}}));
  EXPECT_EQ(json["biggest_terms"][1]["component"], "activations");
  const ordered_json& change = json["changes_that_fit"][0];
  EXPECT_EQ(keys(change),
            (Keys{"change", "flags", "peak_allocated_bytes", "device_used_bytes", "iteration_s", "gpus", "time_cost"}));
  EXPECT_EQ(change["flags"], ordered_json::array({"--micro-batch-size 1"}));
  EXPECT_EQ(change["time_cost"], 0.25);
}

TEST(Json, MemoryInTime) {
  engine::Prediction prediction = fitting();
  prediction.memory_in_time = {{1, Seconds{0.5}, Seconds{0.75}, "backward", 3, 0, 4_GiB, 5_GiB, 0.25}};
  const ordered_json json = json_of(prediction)["memory_in_time"];
  EXPECT_EQ(json, ordered_json::array({{{"stage", 1},
                                        {"peak_start_s", 0.5},
                                        {"peak_end_s", 0.75},
                                        {"peak_action", "backward"},
                                        {"micro_batch", 3},
                                        {"chunk", 0},
                                        {"peak_allocated_bytes", std::int64_t{4} << 30},
                                        {"peak_reserved_bytes", std::int64_t{5} << 30},
                                        {"fragmentation", 0.25}}}));
}

TEST(Json, TimeTermsSumToTheIteration) {
  const ordered_json json = json_of(fitting());
  double sum = 0.0;
  for (const auto& term : json["time"]) sum += term.get<double>();
  EXPECT_EQ(sum, json["iteration_s"].get<double>());
}

TEST(Json, ComponentsOfEveryStageSumToItsPeak) {
  const ordered_json json = json_of(fitting());
  ASSERT_EQ(json["memory"]["stages"].size(), 2U);
  for (const auto& stage : json["memory"]["stages"]) {
    std::int64_t sum = 0;
    for (const char* name :
         {"parameters", "gradients", "optimizer", "activations", "temporaries", "logits", "workspace"}) {
      sum += stage[name].get<std::int64_t>();
    }
    EXPECT_EQ(sum, stage["peak_allocated_bytes"].get<std::int64_t>());
  }
}

TEST(Json, EchoesWhatWasResolved) {
  const ordered_json resolved = json_of(fitting())["resolved"];
  EXPECT_EQ(resolved["gpus"], 16);
  EXPECT_EQ(resolved["data_parallel_size"], 4);
  EXPECT_EQ(resolved["micro_batches_per_iteration"], 8);
  EXPECT_EQ(resolved["padded_vocab_size"], 51'200);  // a multiple of 128 · 2 already
  EXPECT_EQ(resolved["layers_per_stage"], ordered_json::parse("[[1], [1]]"));
  EXPECT_EQ(resolved["peak_format"], "fp16");
  EXPECT_EQ(resolved["stack"], "some-stack");
  EXPECT_EQ(resolved["parallelism"]["schedule"], "one_f_one_b");
  EXPECT_EQ(resolved["training"]["recompute"]["granularity"], "none");
  // State of stage 1: 4 + 2 + 12 GiB. Its rank computes with a layer, (12·256² + 7·256) / 2 + 6·256 = 395,648
  // parameters, the final norm, 2·256, and the tied embedding's shard, 51,200·256 / 2.
  EXPECT_DOUBLE_EQ(resolved["bytes_per_parameter"].get<double>(), 18.0 * 1024 * 1024 * 1024 / 6'949'760.0);
}

TEST(Json, NumbersAreNotRounded) {
  engine::Prediction prediction = fitting();
  prediction.tokens_per_s = 1.0 / 3.0;
  EXPECT_EQ(json_of(prediction)["tokens_per_s"].get<double>(), 1.0 / 3.0);
}

TEST(Json, CausalMfuCountsTheUnmaskedHalf) {
  EXPECT_EQ(json_of(fitting())["mfu_causal"], 0.375);  // 0.5 · 3e15 / 4e15
}

TEST(Json, NotFiniteIsNull) {
  engine::Prediction prediction = fitting();
  prediction.mfu = std::numeric_limits<double>::quiet_NaN();
  prediction.tokens_per_s = std::numeric_limits<double>::infinity();
  const std::string text = json_text(example_scenario(), prediction, {});
  EXPECT_TRUE(ordered_json::parse(text)["mfu"].is_null());
  EXPECT_TRUE(ordered_json::parse(text)["tokens_per_s"].is_null());
}

TEST(Json, SurvivesNamesThatAreNoText) {
  model::Scenario scenario = example_scenario();
  scenario.name = "\xff\xfe\"\n";
  EXPECT_TRUE(ordered_json::accept(json_text(scenario, fitting(), {})));
}

}  // namespace
}  // namespace shardsim::tests
