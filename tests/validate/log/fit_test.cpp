#include "validate/log/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "sim/engine/closed_form.hpp"
#include "sim/input/resolve.hpp"
#include "tests/support/files.hpp"
#include "validate/evaluate.hpp"
#include "validate/log/knobs.hpp"
#include "validate/record.hpp"

namespace shardsim::validate::log {
namespace {

/// A GPT on A100: the degrees and batches of one run.
struct Job {
  int layers;
  int hidden;
  int tp;
  int pp;
  int dp;
  int micro;
  int global;
};

model::Scenario scenario_of(const Job& job) {
  input::Settings settings;
  const auto set = [&](const char* key, const std::string& value) { settings.set({key, value, {}, ""}); };
  set("model.num_layers", std::to_string(job.layers));
  set("model.hidden_size", std::to_string(job.hidden));
  set("model.num_attention_heads", std::to_string(job.hidden / 128));
  set("model.seq_length", "2048");
  set("model.vocab_size", "50257");
  set("parallelism.tensor_model_parallel_size", std::to_string(job.tp));
  set("parallelism.pipeline_model_parallel_size", std::to_string(job.pp));
  set("parallelism.data_parallel_size", std::to_string(job.dp));
  set("training.micro_batch_size", std::to_string(job.micro));
  set("training.global_batch_size", std::to_string(job.global));
  set("cluster.gpus", std::to_string(job.tp * job.pp * job.dp));
  set("cluster.preset", "a100-dgx");
  set("stack.preset", "megatron-core-te");
  return input::resolve(settings);
}

/// Small and large, inside and across nodes.
std::vector<model::Scenario> jobs() {
  std::vector<model::Scenario> all;
  for (const Job& job :
       {Job{24, 1024, 1, 1, 8, 4, 32}, Job{24, 1024, 1, 1, 8, 1, 32}, Job{24, 1024, 1, 1, 32, 1, 32},
        Job{24, 2048, 1, 1, 16, 2, 64}, Job{32, 4096, 4, 1, 8, 2, 64}, Job{32, 4096, 8, 1, 4, 4, 64},
        Job{40, 5120, 8, 2, 4, 1, 128}, Job{32, 4096, 2, 4, 8, 1, 256}, Job{24, 2048, 2, 1, 32, 4, 256},
        Job{48, 8192, 8, 4, 4, 1, 128}, Job{24, 1024, 2, 1, 4, 1, 16}, Job{24, 2048, 1, 2, 8, 2, 64},
        Job{32, 4096, 8, 2, 8, 2, 512}, Job{40, 5120, 4, 4, 4, 1, 64}, Job{24, 1024, 1, 1, 64, 2, 128},
        Job{24, 2048, 4, 1, 16, 8, 512}, Job{32, 4096, 4, 2, 2, 1, 32}, Job{48, 8192, 8, 8, 2, 2, 64}}) {
    all.push_back(scenario_of(job));
  }
  return all;
}

double mean_error(const std::vector<FitRun>& runs, const Fit& fit) {
  double sum = 0.0;
  for (const FitRun& run : runs) {
    sum += std::abs(engine::predict(refined(run.scenario, fit)).iteration / *run.iteration - 1.0);
  }
  return sum / static_cast<double>(runs.size());
}

/// Runs of a cluster whose clock, host and network differ from the profile's, measured with `noise`.
std::vector<FitRun> synthetic(const std::vector<double>& factors, double noise) {
  std::vector<FitRun> runs;
  std::mt19937 random{7};
  std::normal_distribution<double> normal{0.0, noise};
  for (const model::Scenario& scenario : jobs()) {
    model::Scenario truth = scenario;
    for (std::size_t i = 0; i < factors.size(); ++i) time_knobs()[i].slow_down(truth, factors[i]);
    const Seconds time = std::exp(normal(random)) * engine::predict(truth).iteration;
    runs.push_back({"run", scenario, time, {}, {}});
  }
  return runs;
}

TEST(Fit, FindsTheFactorsOfASyntheticCluster) {
  const std::vector<double> truth{1.2, 1.5, 0.8};
  const Fit found = fit(synthetic(truth, 0.0));
  for (std::size_t i = 0; i < truth.size(); ++i) {
    ASSERT_TRUE(found.time[i].determined) << found.time[i].name;
    // The prior pulls towards the start profile.
    EXPECT_NEAR(std::log(found.time[i].value), std::log(truth[i]), 0.05) << found.time[i].name;
    EXPECT_LT(found.time[i].error, 0.15) << found.time[i].name;
  }
  EXPECT_LT(found.time_errors.after, 0.01);
}

TEST(Fit, TenRunsHalveTheErrorOnTheOthersWhereTheProfileIsTwentyPercentOff) {
  const std::vector<FitRun> all = synthetic({1.2, 1.2, 1.2}, 0.03);
  const std::vector<FitRun> given{all.begin(), all.begin() + 10};
  const std::vector<FitRun> others{all.begin() + 10, all.end()};
  const double before = mean_error(others, Fit{});
  EXPECT_GT(before, 0.1);
  EXPECT_LT(mean_error(others, fit(given)), 0.5 * before);
}

TEST(Fit, SaysWhatRunsDoNotDetermine) {
  // One GPU: no network between nodes, and large products hide the host.
  std::vector<FitRun> runs;
  for (const int micro : {2, 4, 8}) {
    const model::Scenario scenario = scenario_of({24, 4096, 8, 1, 1, micro, micro * 4});
    const model::Scenario truth = slowed(scenario, time_knobs()[0], 1.2);
    runs.push_back({"run", scenario, engine::predict(truth).iteration, {}, {}});
  }
  const Fit found = fit(runs);
  EXPECT_TRUE(found.time[0].determined);
  EXPECT_FALSE(found.time[2].determined);
  EXPECT_EQ(found.time[2].value, 1.0);
}

TEST(Fit, AnOutlierMovesLittle) {
  std::vector<FitRun> runs = synthetic({1.2}, 0.0);
  runs[3].iteration = 5.0 * *runs[3].iteration;
  EXPECT_NEAR(fit(runs).time[0].value, 1.2, 0.05);
}

/// Quality A of one source, the first and then every n-th to fit on.
struct Source {
  std::vector<FitRun> given;
  std::vector<FitRun> others;
};

Source published(const std::string& name, double clock) {
  Problems problems;
  const std::vector<Record> records =
      read_records(test::read_source("validate/published/published_runs.jsonl"), "published_runs.jsonl", problems);
  std::vector<FitRun> runs;
  for (const Record& record : records) {
    if (record.source.find(name) == std::string::npos || record.quality != "A" || !record.suspect.empty()) continue;
    if (record.extent != Extent::iteration || !record.unmodelled.empty()) continue;
    try {
      const model::Scenario scenario = input::resolve(record.settings);
      const Result result = evaluate(record, scenario);
      if (!result.time) continue;
      FitRun run{record.id, slowed(scenario, time_knobs()[0], clock), Seconds{result.time->measured}, {}, {}};
      runs.push_back(std::move(run));
    } catch (const InputError&) {
    }
  }
  Source source;
  const std::size_t step = runs.size() / 10;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool fitted = step > 0 && i % step == 0 && source.given.size() < 10;
    (fitted ? source.given : source.others).push_back(runs[i]);
  }
  return source;
}

TEST(Fit, TenPublishedRunsHalveTheErrorOnTheOthersOfTheirSource) {
  for (const char* name : {"Hagemann", "llm-foundry"}) {
    const Source source = published(name, 1.2);
    ASSERT_EQ(source.given.size(), 10u) << name;
    ASSERT_GE(source.others.size(), 20u) << name;
    const double before = mean_error(source.others, Fit{});
    const double after = mean_error(source.others, fit(source.given));
    EXPECT_LT(after, 0.5 * before) << name;
  }
}

}  // namespace
}  // namespace shardsim::validate::log
