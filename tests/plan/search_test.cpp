#include "sim/plan/search.hpp"

#include <gtest/gtest.h>

#include "sim/engine/closed_form.hpp"
#include "sim/plan/packed.hpp"
#include "tests/plan/candidates.hpp"

namespace shardsim::tests {
namespace {

/// 8 devices of 312 TFLOP/s fp16 and 40 GiB in one node; 0.4 B parameters.
model::Scenario small_job() {
  model::Scenario scenario = gpt(24, 1024, 16, 1024, 1);
  on_a_cluster(scenario, 40_GiB);
  scenario.gpus = 8;
  scenario.training.global_batch_size = 64;
  return scenario;
}

/// As the search is defined, without anything that makes it fast.
plan::SearchResult every_one(const model::Scenario& base, const plan::Space& space, const plan::SearchOptions& how) {
  plan::SearchResult result;
  const auto add = [&](const plan::Degrees& degrees) {
    const std::int64_t place = result.considered++;
    const model::Scenario scenario = plan::with_degrees(base, degrees);
    const std::string reason = plan::why_impossible(scenario);
    if (!reason.empty()) {
      ++result.impossible[reason];
      return;
    }
    const engine::Prediction prediction = engine::predict(scenario);
    const bool fits = plan::fits(scenario, prediction.memory.worst().device_used, how.max_memory);
    (fits ? result.candidates : result.nearest).push_back({degrees, scenario, prediction, place});
  };
  plan::Degrees d;
  for (const auto tp : space.tensor_model_parallel_size)
    for (const auto pp : space.pipeline_model_parallel_size)
      for (const auto cp : space.context_parallel_size)
        for (const auto schedule : space.schedule)
          for (const auto chunks : space.virtual_pipeline_model_parallel_size)
            for (const auto micro : space.micro_batch_size)
              for (const auto recompute : space.recompute_granularity)
                for (const bool sequence : space.sequence_parallel)
                  for (const int zero : space.zero_stage) {
                    add({tp, pp, chunks, cp, micro, recompute, sequence, zero, schedule});
                  }
  result.out_of_memory = static_cast<std::int64_t>(result.nearest.size());
  return plan::merged({result}, how.best);
}

void expect_same(const plan::SearchResult& a, const plan::SearchResult& b) {
  EXPECT_EQ(a.considered, b.considered);
  EXPECT_EQ(a.impossible, b.impossible);
  EXPECT_EQ(a.out_of_memory, b.out_of_memory);
  for (const auto list : {&plan::SearchResult::candidates, &plan::SearchResult::nearest}) {
    ASSERT_EQ((a.*list).size(), (b.*list).size());
    for (std::size_t i = 0; i < (a.*list).size(); ++i) {
      EXPECT_EQ((a.*list)[i].degrees, (b.*list)[i].degrees) << i;
      EXPECT_EQ((a.*list)[i].prediction.iteration, (b.*list)[i].prediction.iteration) << i;
      EXPECT_EQ((a.*list)[i].place, (b.*list)[i].place) << i;
    }
  }
}

/// Jobs that differ in what a search takes short cuts through.
std::vector<model::Scenario> jobs() {
  model::Scenario plain = small_job();
  model::Scenario tight = small_job();
  tight.cluster.device.memory_capacity = 9_GiB;
  model::Scenario long_context = small_job();
  long_context.model.seq_length = long_context.model.max_position_embeddings = 4096;
  long_context.gpus = 32;
  model::Scenario zero_bubble = small_job();
  zero_bubble.stack.layer_split = model::LayerSplit::lighter_ends;
  zero_bubble.model.num_layers = 30;
  model::Scenario uneven = small_job();
  uneven.stack.layer_split = model::LayerSplit::balanced_blocks;
  uneven.stack.interleaving = model::InterleavingRule::multiple_of_pipeline;
  uneven.stack.host.per_collective_between_nodes = Seconds{1e-3};
  uneven.gpus = 16;
  model::Scenario replicated = small_job();
  replicated.gpus = 32;
  replicated.parallelism.num_distributed_optimizer_instances = 2;
  return {plain, tight, long_context, zero_bubble, uneven, replicated};
}

TEST(Search, FindsWhatTryingEveryLayoutFinds) {
  for (const model::Scenario& base : jobs()) {
    plan::SearchOptions how;
    how.best = 25;
    const plan::Space space = plan::whole_space(base);
    const plan::SearchResult expected = every_one(base, space, how);
    expect_same(plan::search(base, space, how), expected);
    ASSERT_GT(expected.candidates.size(), 0U);
  }
}

TEST(Search, NearestIsWhatTryingEveryLayoutFinds) {
  for (const model::Scenario& base : jobs()) {
    plan::SearchOptions how;
    how.max_memory = 64_MiB;
    const plan::Space space = plan::whole_space(base);
    const plan::SearchResult expected = every_one(base, space, how);
    ASSERT_EQ(expected.nearest.size(), 1U);
    expect_same(plan::search(base, space, how), expected);
  }
}

TEST(Search, GivesTheSameAnswerWithAnyNumberOfThreads) {
  for (const model::Scenario& base : jobs()) {
    plan::SearchOptions how;
    const plan::Space space = plan::whole_space(base);
    const plan::SearchResult serial = plan::search(base, space, how);
    for (const int threads : {2, 3, 16}) {
      how.threads = threads;
      expect_same(plan::search(base, space, how), serial);
    }
  }
}

TEST(Search, PartsAddUpToTheWhole) {
  for (const Bytes limit : {0_GiB, 64_MiB}) {
    const model::Scenario base = small_job();
    const plan::Space space = plan::whole_space(base);
    plan::SearchOptions how;
    how.max_memory = limit;
    const plan::SearchResult whole = plan::search(base, space, how);
    how.parts = 5;
    std::vector<plan::SearchResult> parts;
    for (how.part = 0; how.part < how.parts; ++how.part) {
      parts.push_back(plan::unpacked(base, plan::packed(plan::search(base, space, how))));
    }
    expect_same(plan::merged(std::move(parts), how.best), whole);
  }
}

TEST(Search, GivesTheBestSoFarWhenStopped) {
  const model::Scenario base = small_job();
  plan::SearchOptions how;
  int calls = 0;
  how.progress = [&calls](double share) { return share < 0.5 && ++calls > 0; };
  const plan::SearchResult result = plan::search(base, plan::whole_space(base), how);
  EXPECT_TRUE(result.interrupted);
  EXPECT_GT(calls, 0);
  EXPECT_LT(result.considered, plan::search(base, plan::whole_space(base), {}).considered);
}

TEST(Search, CandidatesAreWhatThePredictionSays) {
  const model::Scenario base = small_job();
  const plan::SearchResult result = plan::search(base, plan::whole_space(base), {});
  ASSERT_EQ(result.candidates.size(), 10U);
  Seconds before{0.0};
  for (const plan::Candidate& candidate : result.candidates) {
    EXPECT_EQ(engine::predict(candidate.scenario).iteration, candidate.prediction.iteration);
    EXPECT_EQ(plan::degrees_of(candidate.scenario), candidate.degrees);
    EXPECT_GE(candidate.prediction.iteration, before);
    EXPECT_TRUE(candidate.prediction.memory.fits());
    before = candidate.prediction.iteration;
  }
}

TEST(WholeSpace, HoldsOnlyWhatTheStackCanDo) {
  model::Scenario base = small_job();
  model::Abilities& can = base.stack.abilities;
  can.tensor_parallel = can.pipeline_parallel = can.interleaving = can.context_parallel = false;
  can.sequence_parallel = can.selective_recompute = false;
  can.largest_zero_stage = 1;
  const plan::Space space = plan::whole_space(base);
  const std::vector<std::int64_t> one{1};
  EXPECT_EQ(space.tensor_model_parallel_size, one);
  EXPECT_EQ(space.pipeline_model_parallel_size, one);
  EXPECT_EQ(space.virtual_pipeline_model_parallel_size, one);
  EXPECT_EQ(space.context_parallel_size, one);
  EXPECT_EQ(space.sequence_parallel, std::vector<bool>{false});
  EXPECT_EQ(space.zero_stage, (std::vector<int>{0, 1}));
  EXPECT_EQ(space.schedule, std::vector{model::Schedule::one_f_one_b});
  const plan::SearchResult result = plan::search(base, space, {});
  ASSERT_FALSE(result.candidates.empty());
  for (const plan::Candidate& candidate : result.candidates) EXPECT_TRUE(plan::is_able(candidate.scenario));
}

TEST(Search, EveryCombinationIsCounted) {
  const model::Scenario base = small_job();
  plan::Space space = plan::whole_space(base);
  space.tensor_model_parallel_size = space.pipeline_model_parallel_size = {1, 2, 4, 8};
  space.context_parallel_size = {1};
  space.virtual_pipeline_model_parallel_size = {1};
  space.schedule = {model::Schedule::one_f_one_b};
  space.micro_batch_size = {1};
  space.recompute_granularity = {model::RecomputeGranularity::none};
  space.sequence_parallel = {false};
  space.zero_stage = {0};
  const plan::SearchResult result = plan::search(base, space, {});
  EXPECT_EQ(result.considered, 16);
  // tp · pp > 8 in six of the sixteen: (2, 8), (4, 4), (4, 8), (8, 2), (8, 4), (8, 8).
  std::int64_t impossible = 0;
  for (const auto& [reason, count] : result.impossible) impossible += count;
  EXPECT_EQ(impossible, 6);
  EXPECT_EQ(impossible + result.out_of_memory + static_cast<std::int64_t>(result.candidates.size()), 16);
}

}  // namespace
}  // namespace shardsim::tests
