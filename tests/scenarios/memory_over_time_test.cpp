// Memory played through the schedule against the closed form of its peak.
#include "sim/memory/memory_over_time.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>

#include "sim/memory/memory.hpp"
#include "sim/model/enum_text.hpp"
#include "tests/scenarios/load.hpp"

namespace shardsim::tests {
namespace {

using model::Schedule;

bool is_planned(Schedule schedule) {
  return schedule == Schedule::zero_bubble_1p || schedule == Schedule::zero_bubble_2p;
}

/// The two agree to the byte; planned zero-bubble stages may hold less than they are allowed.
void expect_same_peaks(const model::Scenario& scenario) {
  const std::vector<model::Stage> stages = layout(scenario.model, scenario.parallelism, scenario.stack);
  const model::OperatorList operators = list_operators(scenario);
  const memory::Memory predicted = memory::predict_memory(scenario, stages, operators);
  const std::vector<schedule::StageTime> times(stages.size(), {Seconds{1}, Seconds{2}, Seconds{1}});
  const std::vector<schedule::Order> orders =
      schedule::orders(scenario.parallelism, model::micro_batches(scenario), times);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    SCOPED_TRACE(scenario.name + ", " + std::string(model::choice_text(scenario.parallelism.schedule)) + ", stage " +
                 std::to_string(i));
    const memory::StageMemory& closed = predicted.stages[i];
    const memory::MemoryChanges changes = memory::memory_changes(scenario, operators, stages[i], orders[i]);
    const memory::MemoryOverTime played = memory::replay(changes);
    if (is_planned(scenario.parallelism.schedule)) {
      EXPECT_LE(played.peak, closed.peak_allocated);
    } else {
      EXPECT_EQ(played.peak.value(), closed.peak_allocated.value());
    }
    EXPECT_EQ(played.levels.back().after, played.before);  // nothing leaks
    EXPECT_EQ(played.before, closed.parameters + closed.gradients + closed.optimizer + closed.workspace);
    memory::CachingAllocator allocator;
    const memory::MemoryOverTime held = memory::replay(changes, allocator);
    EXPECT_GE(held.peak, played.peak);
    EXPECT_GE(allocator.peak_reserved(), allocator.peak_allocated());
    EXPECT_EQ(held.levels.back().reserved, allocator.reserved());
  }
}

TEST(MemoryOverTime, PeaksOfTheShippedRunsAreThePredictedOnes) {
  for (const input::Preset& preset : input::presets()) {
    if (preset.kind == "runs") expect_same_peaks(load_run(preset.name));
  }
}

// Every schedule, with what each keeps: all softmaxes (GPipe, breadth-first), unequal chunks, split backwards, deferred
// output-layer gradients.
TEST(MemoryOverTime, PeaksOfEverySchedule) {
  for (const auto& choice : model::kChoices<Schedule>) {
    for (const std::int64_t deferral : {-1, 0, 3}) {
      model::Scenario scenario = load_run("gpt3-175b-512-a100");
      scenario.parallelism.schedule = choice.value;
      const bool chunks = choice.value == Schedule::interleaved_one_f_one_b || choice.value == Schedule::breadth_first;
      if (!chunks) scenario.parallelism.virtual_pipeline_model_parallel_size = 1;
      scenario.training.defer_embedding_wgrad_compute = deferral >= 0;
      scenario.training.wgrad_deferral_limit = deferral;
      expect_same_peaks(scenario);
    }
  }
}

// 8 stages, 64 micro batches, 12 layers a stage: the goal is a millisecond. The fastest of several tries counts, with
// room for slower machines.
TEST(MemoryOverTime, CostsLessThanAMillisecond) {
  model::Scenario scenario = load_run("gpt3-175b-512-a100");
  scenario.parallelism.virtual_pipeline_model_parallel_size = 1;
  scenario.parallelism.schedule = Schedule::one_f_one_b;
  ASSERT_EQ(model::micro_batches(scenario), 64);
  const model::OperatorList operators = list_operators(scenario);
  const model::Stage stage = layout(scenario.model, scenario.parallelism, scenario.stack).front();
  const schedule::Order order = schedule::order(scenario.parallelism, 64, 0, {});
  using Clock = std::chrono::steady_clock;
  auto fastest = Clock::duration::max();
  for (int i = 0; i < 50; ++i) {
    const auto start = Clock::now();
    const memory::MemoryOverTime played = memory::replay(memory::memory_changes(scenario, operators, stage, order));
    fastest = std::min(fastest, Clock::now() - start);
    ASSERT_EQ(played.levels.size(), order.size() + 1);
  }
  EXPECT_LT(std::chrono::duration<double>(fastest).count(), 5e-3);
  RecordProperty("microseconds", static_cast<int>(std::chrono::duration<double>(fastest).count() * 1e6));
}

}  // namespace
}  // namespace shardsim::tests
