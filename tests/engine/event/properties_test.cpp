// What holds for every scenario.
#include <gtest/gtest.h>

#include "sim/engine/event/predict.hpp"
#include "tests/engine/example_scenarios.hpp"

namespace shardsim::engine::event {
namespace {

constexpr int kRandomScenarios = 1500;

bool is_planned(const model::Scenario& scenario) {
  return scenario.parallelism.schedule == model::Schedule::zero_bubble_1p ||
         scenario.parallelism.schedule == model::Schedule::zero_bubble_2p;
}

TEST(Properties, TermsAreDisjointAndSumToTheIteration) {
  RandomScenarios scenarios{21};
  for (int i = 0; i < kRandomScenarios; ++i) {
    const Prediction prediction = predict(scenarios.next());
    double sum = 0.0;
    for (const TimeTerm& term : prediction.time) {
      EXPECT_GE(term.time.value(), -1e-9) << term.name << " of scenario " << i;
      sum += term.time.value();
    }
    EXPECT_NEAR(sum, prediction.iteration.value(), 1e-9);
    for (const Utilisation& one : prediction.utilisation) {
      EXPECT_GE(one.compute_idle.value(), -1e-9);
      EXPECT_NEAR((one.compute_busy + one.compute_idle).value(), prediction.iteration.value(), 1e-9);
    }
    for (const GroupCommunication& group : prediction.communication) EXPECT_LE(group.exposed, group.total);
  }
}

// Bit by bit: every replica on its own, and one for all.
TEST(Properties, OneReplicaStandsForAll) {
  RandomScenarios scenarios{22};
  Options explicitly;
  explicitly.replicas = Replicas::every_one;
  int compared = 0;
  for (int i = 0; i < kRandomScenarios / 3; ++i) {
    const model::Scenario scenario = scenarios.next();
    const Prediction one = predict(scenario);
    const Prediction all = predict(scenario, explicitly);
    ASSERT_EQ(one.iteration.value(), all.iteration.value())
        << "scenario " << i << " tp " << scenario.parallelism.tensor_model_parallel_size << " pp "
        << scenario.parallelism.pipeline_model_parallel_size << " dp " << scenario.parallelism.data_parallel_size
        << " cp " << scenario.parallelism.context_parallel_size << " order " << (int)scenario.parallelism.rank_order
        << " sched " << (int)scenario.parallelism.schedule;
    for (std::size_t term = 0; term < one.time.size(); ++term) {
      ASSERT_EQ(one.time[term].time.value(), all.time[term].time.value()) << one.time[term].name;
    }
    ASSERT_EQ(one.utilisation.size(), all.utilisation.size());
    compared += scenario.parallelism.data_parallel_size > 1 ? 1 : 0;
  }
  EXPECT_GT(compared, 100);
}

// Planned schedules may plan otherwise; all others have a fixed order, in which nothing can end later for ending
// sooner. Rounding may move an end by some picoseconds.
TEST(Properties, MoreBandwidthIsNeverSlower) {
  RandomScenarios scenarios{23};
  for (int i = 0; i < 2 * kRandomScenarios; ++i) {
    model::Scenario scenario = scenarios.next();
    if (is_planned(scenario)) continue;
    const double before = predict(scenario).iteration.value();
    hardware::Network& network = i % 2 == 0 ? scenario.cluster.inter_node : scenario.cluster.intra_node;
    network.bandwidth = network.bandwidth * 1.5;
    EXPECT_LE(predict(scenario).iteration.value(), before * (1 + 1e-9)) << "scenario " << i;
  }
}

TEST(Properties, AFasterDeviceIsNeverSlower) {
  RandomScenarios scenarios{24};
  for (int i = 0; i < kRandomScenarios; ++i) {
    model::Scenario scenario = scenarios.next();
    if (is_planned(scenario)) continue;
    const double before = predict(scenario).iteration.value();
    for (hardware::GemmProfile& gemm : scenario.cluster.device.gemm) gemm.peak = gemm.peak * 1.3;
    // Less compute hides less of the communication beside it, but never ends later.
    EXPECT_LE(predict(scenario).iteration.value(), before * (1 + 1e-9)) << "scenario " << i;
  }
}

TEST(Properties, IsDeterministic) {
  RandomScenarios scenarios{25};
  for (int i = 0; i < 100; ++i) {
    const model::Scenario scenario = scenarios.next();
    EXPECT_EQ(predict(scenario).iteration.value(), predict(scenario).iteration.value());
  }
}

TEST(Progress, StopsTheRun) {
  model::Scenario scenario = example_scenario();
  divide(scenario, 1, 8, 512, 256);
  Options options;
  options.replicas = Replicas::every_one;
  int calls = 0;
  options.progress = [&calls](std::int64_t done, std::int64_t all) {
    EXPECT_LE(done, all);
    return ++calls < 3;
  };
  EXPECT_THROW(predict(scenario, options), Interrupted);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace shardsim::engine::event
