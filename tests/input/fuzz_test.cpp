// Whatever is given: either every mistake as a problem, or a scenario that the engine can predict. The seeds are fixed.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>

#include "sim/engine/closed_form.hpp"
#include "sim/input/framework_config.hpp"
#include "tests/input/random_value.hpp"
#include "tests/input/test_presets.hpp"

namespace shardsim::input::test {
namespace {

/// Small powers and products, so that many combinations are right; and every kind of nonsense.
constexpr std::array<std::string_view, 12> kSizes{"1",  "2", "4",  "8",  "16",   "32",
                                                  "64", "3", "12", "24", "1024", "4096"};
constexpr std::array<std::string_view, 14> kNonsense{
    "0", "-1", "nan", "inf", "1e400", "", "auto", "${X}", "8.0", "true", "\xff", "none", "2:1", "9223372036854775807"};

template <class Values>
std::string pick(const Values& values, std::mt19937_64& random) {
  return std::string(values[static_cast<std::size_t>(below(static_cast<std::int64_t>(values.size()), random))]);
}

Setting random_setting(std::mt19937_64& random) {
  const auto& keys = schema();
  const auto& derived = derived_keys();
  const std::int64_t at = below(static_cast<std::int64_t>(keys.size() + derived.size()), random);
  const auto index = static_cast<std::size_t>(at);
  const std::string name = index < keys.size() ? keys[index].name : std::string(derived[index - keys.size()].name);
  const std::int64_t kind = below(10, random);
  if (kind == 0) return {name, pick(kNonsense, random), {"fuzz", 1, name}, {}};
  if (kind < 6 || index >= keys.size()) return {name, pick(kSizes, random), {"fuzz", 1, name}, {}};
  return {name, random_value(keys[index], random), {"fuzz", 1, name}, {}};
}

Settings small_run(std::mt19937_64& random) {
  Problems problems;
  Settings settings = read_scenario(kSmallRun, "run.toml", problems);
  // The degrees decide most rules; drawn often, so that layouts of every kind come up.
  for (const char* key : {"tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size",
                          "virtual_pipeline_model_parallel_size", "data_parallel_size"}) {
    const std::string name = std::string("parallelism.") + key;
    if (below(3, random) == 0) settings.set({name, std::to_string(1 << below(4, random)), {"fuzz", 1, name}, {}});
  }
  if (below(2, random) == 0) settings.set({"training.global_batch_size", "512", {}, {}});
  return settings;
}

TEST(Fuzz, SettingsAreRefusedOrPredicted) {
  std::mt19937_64 random(42);
  int predicted = 0;
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    Settings settings = small_run(random);
    for (std::int64_t more = below(4, random); more > 0; --more) settings.set(random_setting(random));
    std::string shown;
    for (const Setting& setting : settings.all()) shown += setting.key + " = " + setting.value + "\n";
    try {
      const model::Scenario scenario = resolve(settings, test_presets());
      const engine::Prediction prediction = engine::predict(scenario);
      ASSERT_TRUE(std::isfinite(prediction.iteration.value()) && prediction.iteration.value() > 0.0) << shown;
      ASSERT_GT(prediction.memory.worst().peak_allocated.value(), 0) << shown;
      ++predicted;
    } catch (const InputError& error) {
      ASSERT_FALSE(error.problems().empty());
      ++refused;
    } catch (const std::exception& error) {
      FAIL() << error.what() << "\n" << shown;
    }
  }
  // Neither side may take over, or the test would test nothing.
  EXPECT_GT(predicted, 800);
  EXPECT_GT(refused, 800);
}

/// Flips, drops and doubles bytes of a text.
std::string mutated(std::string_view text, std::mt19937_64& random) {
  std::string result(text);
  for (std::int64_t edits = 1 + below(8, random); edits > 0 && !result.empty(); --edits) {
    const auto at = static_cast<std::size_t>(below(static_cast<std::int64_t>(result.size()), random));
    const std::int64_t kind = below(3, random);
    if (kind == 0) result[at] = static_cast<char>(below(256, random));
    if (kind == 1) result.erase(at, static_cast<std::size_t>(1 + below(5, random)));
    if (kind == 2) result.insert(at, result.substr(at, static_cast<std::size_t>(1 + below(20, random))));
  }
  return result;
}

TEST(Fuzz, TextsAreReadOrRefused) {
  constexpr std::string_view kConfig = R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 2,
      "num_hidden_layers": 2, "max_position_embeddings": 64, "zero_optimization": {"stage": 2, "offload_param":
      {"device": "cpu"}, "reduce_bucket_size": 5e8}, "fp16": {"enabled": true}, "train_batch_size": 8})";
  std::mt19937_64 random(43);
  for (int i = 0; i < 4000; ++i) {
    Problems problems;
    Settings settings = read_scenario(mutated(kSmallRun, random), "run.toml", problems);
    settings.merge(read_hf_config(mutated(kConfig, random), "config.json", problems));
    settings.merge(read_deepspeed_config(mutated(kConfig, random), "ds.json", problems));
    try {
      (void)resolve(settings, test_presets());
    } catch (const InputError& error) {
      EXPECT_FALSE(error.problems().empty());
    }
  }
}

}  // namespace
}  // namespace shardsim::input::test
