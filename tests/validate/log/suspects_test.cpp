#include "validate/log/suspects.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/engine/closed_form.hpp"
#include "sim/input/resolve.hpp"
#include "validate/log/knobs.hpp"

namespace shardsim::validate::log {
namespace {

model::Scenario scenario(const char* hidden, const char* micro, const char* tp, const char* gpus) {
  input::Settings settings;
  const auto set = [&](const char* key, const char* value) { settings.set({key, value, {}, ""}); };
  set("model.num_layers", "24");
  set("model.hidden_size", hidden);
  set("model.num_attention_heads", "16");
  set("model.seq_length", "2048");
  set("model.vocab_size", "50257");
  set("parallelism.tensor_model_parallel_size", tp);
  set("training.micro_batch_size", micro);
  set("training.global_batch_size", "1024");
  set("cluster.gpus", gpus);
  set("cluster.preset", "a100-dgx");
  set("stack.preset", "megatron-core-te");
  return input::resolve(settings);
}

Seconds time_of(const model::Scenario& scenario) { return engine::predict(scenario).iteration; }

const Suspect* find(const Suspicion& suspicion, std::string_view name) {
  for (const Suspect& suspect : suspicion.suspects) {
    if (suspect.name == name) return &suspect;
  }
  return nullptr;
}

TEST(Suspects, EachFactorAloneGivesTheMeasuredTime) {
  const model::Scenario job = scenario("2048", "2", "2", "16");
  const Seconds measured = 1.15 * time_of(job);
  const Suspicion result = suspicion(job, measured);
  ASSERT_GE(result.suspects.size(), 2u);
  for (const Suspect& suspect : result.suspects) {
    for (const Knob& knob : time_knobs()) {
      if (knob.name != suspect.name) continue;
      EXPECT_NEAR(time_of(slowed(job, knob, suspect.factor)) / measured, 1.0, 1e-6) << knob.name;
      EXPECT_GT(suspect.factor, 1.0);
    }
  }
}

TEST(Suspects, LargeProductsPointAtTheClock) {
  const model::Scenario job = scenario("8192", "4", "8", "8");
  EXPECT_EQ(suspicion(job, 1.1 * time_of(job)).suspects.front().name, "sustained clock");
}

TEST(Suspects, SmallMicroBatchesPointAtTheHost) {
  // GPT of hidden 256: kernels of microseconds, the host is late.
  const model::Scenario job = scenario("256", "1", "1", "8");
  EXPECT_EQ(suspicion(job, 1.3 * time_of(job)).suspects.front().name, "host");
}

TEST(Suspects, WithoutASecondNodeTheNetworkBetweenNodesIsNone) {
  const model::Scenario job = scenario("2048", "2", "2", "8");
  EXPECT_EQ(find(suspicion(job, 1.2 * time_of(job)), "network between nodes"), nullptr);
}

TEST(Suspects, AnExperimentTellsTheFirstTwoApart) {
  const model::Scenario job = scenario("1024", "1", "1", "32");
  const Suspicion result = suspicion(job, 1.3 * time_of(job));
  ASSERT_TRUE(result.experiment);
  EXPECT_GT(std::abs(std::log(result.experiment->with_first / result.experiment->with_second)), std::log(1.05));
}

}  // namespace
}  // namespace shardsim::validate::log
