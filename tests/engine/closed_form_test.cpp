#include "sim/engine/closed_form.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/engine/time_terms.hpp"
#include "tests/engine/example_scenarios.hpp"

namespace shardsim::engine {
namespace {

using model::Scenario;

constexpr int kRandomScenarios = 4000;

double term(const Prediction& prediction, Term which) {
  return prediction.time[static_cast<std::size_t>(which)].time.value();
}

double sum_of_terms(const Prediction& prediction) {
  double sum = 0.0;
  for (const TimeTerm& part : prediction.time) sum += part.time.value();
  return sum;
}

/// The iteration minus what happens once per iteration, over the micro batches' own time, minus one.
double bubble_share(const Prediction& prediction) {
  const double once = term(prediction, Term::optimizer) + term(prediction, Term::data_parallel_exposed) +
                      term(prediction, Term::fixed_overhead);
  const double bubble = term(prediction, Term::pipeline_bubble);
  return bubble / (prediction.iteration.value() - once - bubble);
}

TEST(ClosedForm, SingleGpuHasNoCommunicationAndNoBubble) {
  const Prediction prediction = predict(example_scenario());
  for (const GroupCommunication& group : prediction.communication) {
    EXPECT_EQ(group.total.value(), 0.0);
    EXPECT_EQ(group.exposed.value(), 0.0);
  }
  EXPECT_EQ(term(prediction, Term::pipeline_bubble), 0.0);
  EXPECT_EQ(term(prediction, Term::pipeline_exposed), 0.0);
  EXPECT_EQ(term(prediction, Term::data_parallel_exposed), 0.0);
  EXPECT_EQ(term(prediction, Term::tensor_parallel_exposed), 0.0);
  EXPECT_DOUBLE_EQ(term(prediction, Term::fixed_overhead), 5e-3);
}

// Rates follow from the time: 16·2,048 tokens; MFU = model FLOPs / (time · 300 TFLOP/s).
TEST(ClosedForm, Rates) {
  const Prediction prediction = predict(example_scenario());
  const double seconds = prediction.iteration.value();
  EXPECT_DOUBLE_EQ(prediction.tokens_per_s, 16 * 2048 / seconds);
  EXPECT_DOUBLE_EQ(prediction.mfu, prediction.flops.model.value() / seconds / 300e12);
  EXPECT_DOUBLE_EQ(prediction.hfu, prediction.flops.hardware.value() / seconds / 300e12);
  EXPECT_GT(prediction.mfu, 0.3);
  EXPECT_LT(prediction.mfu, 0.7);
}

// Without host waits and communication the only errors are the device's 10 % on its share of the time and the stack's
// 10 % on all: sigma = sqrt(0.1²·share² + 0.1²).
TEST(ClosedForm, IntervalCombinesErrorsInQuadrature) {
  Scenario scenario = example_scenario();
  scenario.stack.host.per_launch = Seconds{0.0};
  const Prediction prediction = predict(scenario);
  const double share = 1.0 - 5e-3 / prediction.iteration.value();
  const double sigma = std::sqrt(0.01 * share * share + 0.01);
  EXPECT_NEAR(prediction.iteration_p90 / prediction.iteration, std::exp(1.2816 * sigma), 1e-5);
  EXPECT_NEAR(prediction.iteration_p10 / prediction.iteration, std::exp(-1.2816 * sigma), 1e-5);
}

// Layers only weigh: 24 layers over 4 stages of an embedding- and head-light model approach (p − 1)/m = 3/16.
TEST(ClosedForm, BubbleOfEqualStages) {
  Scenario scenario = example_scenario();
  scenario.model.vocab_size = 1;  // padded to 128: the head is next to nothing
  scenario.model.hidden_dropout = 0.0;
  scenario.stack.host.per_launch = Seconds{0.0};
  scenario.parallelism.overlap.pipeline = true;
  divide(scenario, 1, 4, 1, 16);
  EXPECT_NEAR(bubble_share(predict(scenario)), 3.0 / 16, 0.01);
  scenario.parallelism.virtual_pipeline_model_parallel_size = 2;
  scenario.parallelism.schedule = model::Schedule::interleaved_one_f_one_b;
  EXPECT_NEAR(bubble_share(predict(scenario)), 3.0 / 32, 0.01);
}

TEST(ClosedForm, TheHeadMakesTheLastStageTheSlowest) {
  Scenario scenario = example_scenario();
  divide(scenario, 1, 8, 1, 16);  // 3 layers a stage, and the logits of 50,304 words on the last
  EXPECT_GT(bubble_share(predict(scenario)), 0.0);
  Scenario light = scenario;
  light.model.vocab_size = 128;
  EXPECT_LT(predict(light).iteration.value(), 0.8 * predict(scenario).iteration.value());
}

// Megatron's layer all-reduces twice forward and twice backward (Shoeybi et al. 2019, figure 4); embedding 1, head 1
// backward and three fp32 numbers a token forward: 16 micro batches · (98 · 2,048·2,048·2 B + 3 · 2,048·4 B).
TEST(ClosedForm, TensorParallelBytes) {
  Scenario scenario = example_scenario();
  divide(scenario, 8, 1, 1, 16);
  const Prediction prediction = predict(scenario);
  EXPECT_EQ(prediction.communication[0].group, model::Group::tensor);
  EXPECT_EQ(prediction.communication[0].bytes, Bytes{16LL * (98LL * 2048 * 2048 * 2 + 3LL * 2048 * 4)});
}

TEST(ClosedForm, HiddenSendsOnlyLengthenFillAndDrain) {
  Scenario scenario = example_scenario();
  divide(scenario, 1, 4, 1, 16);
  scenario.model.output_weights = model::OutputWeights::untied;
  const double exposed = term(predict(scenario), Term::pipeline_exposed);
  scenario.parallelism.overlap.pipeline = true;
  const double hidden = term(predict(scenario), Term::pipeline_exposed);
  // The last stage is the slowest and sends gradients only: its 16 plus, once, the others' 1 + 2 + 2 against 6 hops.
  EXPECT_NEAR(exposed / hidden, 21.0 / 6.0, 1e-9);
}

TEST(ClosedForm, SmallLayersWaitForTheHost) {
  Scenario scenario = example_scenario();
  scenario.stack.host.per_launch = Seconds{0.0};
  EXPECT_EQ(term(predict(scenario), Term::host_wait), 0.0);
  scenario.stack.host.per_launch = Seconds{1e-3};
  const Prediction late = predict(scenario);
  EXPECT_GT(term(late, Term::host_wait), 0.8 * late.iteration.value());
}

TEST(ClosedForm, FullRecomputeCostsAboutOneForward) {
  Scenario scenario = example_scenario();
  const Prediction without = predict(scenario);
  scenario.training.recompute.granularity = model::RecomputeGranularity::full;
  const Prediction with = predict(scenario);
  const double ratio = with.iteration / without.iteration;
  EXPECT_GT(ratio, 1.2);
  EXPECT_LT(ratio, 1.4);
  EXPECT_NEAR(with.iteration.value() - without.iteration.value(), term(with, Term::recompute), 1e-9);
}

TEST(ClosedForm, MemoryNearTheLimitIsExpectedToCostTime) {
  Scenario scenario = example_scenario();
  scenario.stack.error.memory = 0.1;
  scenario.stack.allocator.retry_slowdown = 0.2;
  const Prediction roomy = predict(scenario);
  EXPECT_LT(term(roomy, Term::allocator_retries), 1e-3 * roomy.iteration.value());
  // Needed as much as there is: the limit is reached in one of two cases, and a fifth of the time lost in these.
  scenario.cluster.device.memory_capacity = roomy.memory.worst().device_used;
  const Prediction tight = predict(scenario);
  ASSERT_NEAR(tight.memory.out_of_memory_probability, 0.5, 1e-6);
  EXPECT_NEAR(tight.iteration.value(), 1.1 * (roomy.iteration.value() - term(roomy, Term::allocator_retries)), 1e-6);
}

TEST(ClosedForm, TermsAreDisjointAndSumToTheIteration) {
  RandomScenarios random{1};
  for (int i = 0; i < kRandomScenarios; ++i) {
    const Prediction prediction = predict(random.next());
    ASSERT_EQ(prediction.time.size(), kTerms);
    for (const TimeTerm& part : prediction.time) ASSERT_GE(part.time.value(), 0.0) << part.name << " in " << i;
    ASSERT_NEAR(sum_of_terms(prediction), prediction.iteration.value(), 1e-12 * prediction.iteration.value());
    ASSERT_LT(prediction.iteration_p10, prediction.iteration);
    ASSERT_GT(prediction.iteration_p90, prediction.iteration);
    ASSERT_LT(prediction.hfu, 1.0);
    for (const GroupCommunication& group : prediction.communication) {
      ASSERT_GE(group.exposed.value(), 0.0);
      ASSERT_LE(group.exposed.value(), group.total.value() * (1.0 + 1e-12))
          << static_cast<int>(group.group) << " in " << i;
    }
  }
}

TEST(ClosedForm, MoreBandwidthIsNeverSlower) {
  RandomScenarios random{2};
  for (int i = 0; i < kRandomScenarios; ++i) {
    const Scenario scenario = random.next();
    // A zero-bubble stage that is not the slowest has no time of its own in the iteration, only its gathers have.
    if (scenario.parallelism.schedule == model::Schedule::zero_bubble_2p) continue;
    const double before = predict(scenario).iteration.value();
    Scenario intra = scenario;
    intra.cluster.intra_node.bandwidth = 1.5 * scenario.cluster.intra_node.bandwidth;
    ASSERT_LE(predict(intra).iteration.value(), before * (1 + 1e-12)) << "inside the node, scenario " << i;
    Scenario inter = scenario;
    inter.cluster.inter_node.bandwidth = 1.5 * scenario.cluster.inter_node.bandwidth;
    ASSERT_LE(predict(inter).iteration.value(), before * (1 + 1e-12)) << "between nodes, scenario " << i;
    Scenario memory = scenario;
    memory.cluster.device.memory_bandwidth = 1.5 * scenario.cluster.device.memory_bandwidth;
    ASSERT_LE(predict(memory).iteration.value(), before * (1 + 1e-12)) << "memory, scenario " << i;
  }
}

TEST(ClosedForm, MoreMicroBatchesHaveASmallerBubbleShare) {
  RandomScenarios random{3};
  int pipelines = 0;
  for (int i = 0; i < kRandomScenarios; ++i) {
    const Scenario scenario = random.next();
    Scenario twice = scenario;
    twice.training.global_batch_size *= 2;
    const double before = bubble_share(predict(scenario));
    if (before < 1e-6) continue;
    ++pipelines;
    ASSERT_LT(bubble_share(predict(twice)), before) << "scenario " << i;
  }
  EXPECT_GT(pipelines, kRandomScenarios / 2);
}

}  // namespace
}  // namespace shardsim::engine
