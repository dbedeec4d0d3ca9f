// Closed form and event engine agree where theory says so.
#include <gtest/gtest.h>

#include "sim/engine/closed_form.hpp"
#include "sim/engine/event/predict.hpp"
#include "tests/engine/example_scenarios.hpp"

namespace shardsim::engine::event {
namespace {

/// What the closed form averages is switched off: host and everything that runs side by side.
model::Scenario without_averages(model::Scenario scenario) {
  scenario.stack.host.per_launch = Seconds{0.0};
  scenario.parallelism.overlap = {false, false, false, scenario.parallelism.overlap.pipeline};
  scenario.parallelism.zero_stage = scenario.parallelism.zero_stage >= 2 ? 1 : scenario.parallelism.zero_stage;
  return scenario;
}

/// Without contention.
Prediction undisturbed(const model::Scenario& scenario) {
  Options options;
  options.links = Links::undisturbed;
  return predict(scenario, options);
}

void expect_same_terms(const Prediction& closed, const Prediction& played) {
  for (std::size_t i = 0; i < closed.time.size(); ++i) {
    EXPECT_NEAR(played.time[i].time.value(), closed.time[i].time.value(), 1e-7 * closed.iteration.value())
        << closed.time[i].name;
  }
  EXPECT_NEAR(played.iteration / closed.iteration, 1.0, 1e-7);
}

TEST(Agreement, WithoutAPipelineTermByTerm) {
  RandomScenarios scenarios{11};
  int compared = 0;
  for (int i = 0; i < 2000; ++i) {
    const model::Scenario scenario = without_averages(scenarios.next());
    if (scenario.parallelism.pipeline_model_parallel_size > 1) continue;
    ++compared;
    expect_same_terms(engine::predict(scenario), undisturbed(scenario));
  }
  EXPECT_GT(compared, 200);
}

// Two kinds of stages alike but for the ends' embedding and head, which are next to nothing: the bubble to 1 %.
TEST(Agreement, EqualStages) {
  using model::Schedule;
  for (const Schedule schedule :
       {Schedule::gpipe, Schedule::one_f_one_b, Schedule::interleaved_one_f_one_b, Schedule::zero_bubble_h1}) {
    model::Scenario scenario = without_averages(example_scenario());
    scenario.model.vocab_size = 1;
    scenario.model.hidden_dropout = 0.0;
    scenario.model.output_weights = model::OutputWeights::untied;
    scenario.parallelism.overlap.pipeline = true;
    scenario.parallelism.schedule = schedule;
    divide(scenario, 1, 4, 1, 16);
    if (schedule == Schedule::interleaved_one_f_one_b) scenario.parallelism.virtual_pipeline_model_parallel_size = 3;
    EXPECT_NEAR(undisturbed(scenario).iteration / engine::predict(scenario).iteration, 1.0, 0.01)
        << static_cast<int>(schedule);
  }
}

// Σt + (m − 1)·max t bounds 1F1B of unequal stages from above.
TEST(Agreement, TheClosedFormBoundsUnequalStages) {
  RandomScenarios scenarios{12};
  int compared = 0;
  for (int i = 0; i < 1500; ++i) {
    model::Scenario scenario = without_averages(scenarios.next());
    if (scenario.parallelism.schedule != model::Schedule::one_f_one_b) continue;
    if (scenario.parallelism.pipeline_model_parallel_size == 1) continue;
    scenario.parallelism.overlap.pipeline = false;
    ++compared;
    EXPECT_LE(undisturbed(scenario).iteration.value(), engine::predict(scenario).iteration.value() * (1 + 1e-7));
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace shardsim::engine::event
