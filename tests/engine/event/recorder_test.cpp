// Recorded timelines against what was played.
#include <gtest/gtest.h>

#include <map>

#include "sim/engine/event/predict.hpp"
#include "sim/model/rank_grid.hpp"
#include "tests/engine/example_scenarios.hpp"

namespace shardsim::engine::event {
namespace {

using model::Lane;

std::vector<std::int64_t> one_rank_a_stage(const model::Scenario& scenario) {
  std::vector<std::int64_t> ranks;
  for (std::int64_t stage = 0; stage < scenario.parallelism.pipeline_model_parallel_size; ++stage) {
    ranks.push_back(model::global_rank(scenario.parallelism, {0, 0, 0, stage}));
  }
  return ranks;
}

// Spans of a lane do not overlap, lie within the iteration, and their times sum to the lane's busy time, which the
// utilisation counts apart: busy + idle = makespan.
TEST(Recorder, LanesAreBusyForAsLongAsTheUtilisationSays) {
  RandomScenarios scenarios{31};
  for (int i = 0; i < 300; ++i) {
    model::Scenario scenario = scenarios.next();
    // A pass that is slowed down by collectives beside it is drawn longer as a whole.
    const bool beside = i % 2 == 0;
    scenario.parallelism.overlap.grad_reduce = scenario.parallelism.overlap.param_gather = beside;
    if (scenario.parallelism.schedule >= model::Schedule::zero_bubble_h1) continue;  // iterations run into each other
    Options options;
    options.links = Links::undisturbed;
    const double unrecorded = predict(scenario, options).iteration.value();
    options.recorded_ranks = one_rank_a_stage(scenario);
    const Outcome outcome = play(scenario, options);
    EXPECT_EQ(outcome.prediction.iteration.value(), unrecorded);
    std::map<std::pair<std::int64_t, Lane>, model::Picoseconds> busy;
    std::map<std::pair<std::int64_t, Lane>, model::Picoseconds> last;
    for (const model::Span& span : outcome.timeline.spans) {
      const std::pair<std::int64_t, Lane> lane{span.rank, span.lane};
      ASSERT_GE(span.start, last[lane]);
      ASSERT_LT(span.start, span.end);
      ASSERT_LE(span.end, outcome.timeline.end);
      last[lane] = span.end;
      busy[lane] += span.end - span.start;
    }
    if (beside) continue;
    for (const Utilisation& one : outcome.prediction.utilisation) {
      const double compute = static_cast<double>(busy[{one.first_rank, Lane::compute}]) * 1e-12;
      const double host = static_cast<double>(busy[{one.first_rank, Lane::host}]) * 1e-12;
      const double pipeline = static_cast<double>(busy[{one.first_rank, Lane::pipeline}]) * 1e-12;
      // A kernel of many launches that waits for the host in between is drawn in one piece.
      EXPECT_GE(compute, one.compute_busy.value() - 1e-7) << "scenario " << i;
      if (scenario.stack.host.per_launch.value() == 0.0) {
        EXPECT_NEAR(compute, one.compute_busy.value(), 1e-7);
      }
      EXPECT_NEAR(host, one.host_busy.value(), 1e-7);
      EXPECT_NEAR(pipeline, one.pipeline_busy.value(), 1e-7);
    }
  }
}

// 4 stages, 8 micro batches: each sends 8 activations to the next and 8 gradients to the one before it.
TEST(Recorder, MessagesAndMemory) {
  model::Scenario scenario = example_scenario();
  divide(scenario, 2, 4, 2, 8);
  Options options;
  options.recorded_ranks = one_rank_a_stage(scenario);
  const Outcome outcome = play(scenario, options);
  EXPECT_EQ(outcome.timeline.messages.size(), 3U * 2 * 8);
  std::map<std::int64_t, Bytes> peak;
  for (const model::MemorySample& sample : outcome.timeline.memory) {
    peak[sample.rank] = std::max(peak[sample.rank], sample.allocated);
    EXPECT_GE(sample.reserved, Bytes{0});
  }
  ASSERT_EQ(peak.size(), 4U);
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    const Bytes predicted = outcome.prediction.memory.stages[static_cast<std::size_t>(stage)].peak_allocated;
    EXPECT_NEAR(peak[4 * stage].as_double() / predicted.as_double(), 1.0, 0.02) << "stage " << stage;
  }
}

// The first stage of four holds most when its fourth micro batch's forward is in and a backward's temporaries come on
// top: the peak lies in the steady state, not in the warm-up. Levels are those of the trace; times lie in order within
// the iteration.
TEST(Recorder, MemoryInTime) {
  model::Scenario scenario = example_scenario();
  divide(scenario, 2, 4, 2, 8);
  Options options;
  EXPECT_TRUE(play(scenario, options).prediction.memory_in_time.empty());
  options.memory_in_time = true;
  const Prediction prediction = predict(scenario, options);
  options.recorded_ranks = one_rank_a_stage(scenario);
  const Outcome recorded = play(scenario, options);
  ASSERT_EQ(prediction.memory_in_time.size(), 4U);
  EXPECT_EQ(prediction.memory_in_time[0].peak_action, "backward");
  EXPECT_EQ(prediction.memory_in_time[0].micro_batch, 0);
  for (const MemoryInTime& stage : prediction.memory_in_time) {
    Bytes allocated{0};
    Bytes reserved{0};
    model::Picoseconds at = 0;
    for (const model::MemorySample& sample : recorded.timeline.memory) {
      if (sample.rank != 4 * stage.stage) continue;
      if (sample.allocated > allocated) at = sample.time;
      allocated = std::max(allocated, sample.allocated);
      reserved = std::max(reserved, sample.reserved);
    }
    EXPECT_EQ(stage.peak_allocated, allocated);
    EXPECT_EQ(stage.peak_reserved, reserved);
    EXPECT_EQ(stage.peak_start.value(), static_cast<double>(at) * 1e-12);
    EXPECT_LT(stage.peak_start, stage.peak_end);
    EXPECT_LE(stage.peak_end, prediction.iteration);
    EXPECT_EQ(stage.fragmentation, reserved / allocated - 1.0);
  }
}

}  // namespace
}  // namespace shardsim::engine::event
