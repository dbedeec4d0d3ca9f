#include "validate/local/jobs.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "calibrate/measure/plan.hpp"
#include "sim/input/scenario_file.hpp"
#include "sim/model/operators.hpp"
#include "tests/validate/local/profile.hpp"
#include "validate/local/predicted.hpp"

namespace shardsim::validate::local {
namespace {

input::Settings profile() {
  Problems problems;
  input::Settings settings = input::read_scenario(kProfile, "profile", problems);
  problems.throw_if_any();
  return settings;
}

TEST(LocalJobs, CoverEveryLayoutThatTwoCoresAllow) {
  const std::vector<Job> all = jobs(Extent::full, 2);
  EXPECT_GE(all.size(), 24U);
  std::set<std::string> names;
  std::set<std::string> groups;
  for (const Job& job : all) {
    EXPECT_LE(job.ranks, 2) << job.name;
    names.insert(job.name);
    groups.insert(job.group);
  }
  EXPECT_EQ(names.size(), all.size());
  EXPECT_EQ(groups, (std::set<std::string>{"gpt, 1 rank", "gpt, tp2", "gpt, pp2", "gpt, dp2", "bert, 1 rank",
                                           "bert, tp2", "bert, pp2", "bert, dp2"}));
}

TEST(LocalJobs, NeedNoMoreRanksThanThereAreCores) {
  for (const Job& job : jobs(Extent::full, 1)) EXPECT_EQ(job.ranks, 1) << job.name;
  EXPECT_GT(jobs(Extent::full, 8).size(), jobs(Extent::full, 4).size());
  EXPECT_GT(jobs(Extent::full, 4).size(), jobs(Extent::full, 2).size());
}

TEST(LocalJobs, QuickOnesAreAFewOfAll) {
  std::set<std::string> all;
  for (const Job& job : jobs(Extent::full, 2)) all.insert(job.name);
  const std::vector<Job> quick = jobs(Extent::quick, 2);
  EXPECT_GE(quick.size(), 6U);
  EXPECT_LE(quick.size(), 10U);
  for (const Job& job : quick) EXPECT_EQ(all.count(job.name), 1U) << job.name;
}

TEST(LocalJobs, NoProductHasACalibratedShape) {
  using Shape = std::array<std::int64_t, 3>;
  std::set<Shape> calibrated;
  for (const auto thoroughness : {calibrate::Thoroughness::quick, calibrate::Thoroughness::normal}) {
    for (const calibrate::Case& one : calibrate::make_plan(thoroughness, "").cases) {
      if (one.subject.k > 0) calibrated.insert({one.subject.m, one.subject.n, one.subject.k});
    }
  }
  ASSERT_GT(calibrated.size(), 20U);
  for (const Job& job : jobs(Extent::full, 8)) {
    const model::OperatorList list = model::list_operators(scenario_of(job, profile()));
    for (const auto* block : {&list.embedding, &list.layer, &list.recomputed_layer, &list.head}) {
      for (const auto* operators : {&block->forward, &block->backward}) {
        for (const model::Operator& op : *operators) {
          if (!model::is_matrix(op.kind)) continue;
          EXPECT_EQ(calibrated.count({op.shape.m, op.shape.n, op.shape.k}), 0U) << job.name << ": " << op.name;
        }
      }
    }
  }
}

TEST(LocalJobs, ArePredictedFromTheProfileAlone) {
  for (const Job& job : jobs(Extent::full, 8)) {
    const model::Scenario scenario = scenario_of(job, profile());
    for (const model::Assumption& assumption : scenario.assumed) {
      EXPECT_TRUE(assumption.key.rfind("cluster", 0) != 0 && assumption.key.rfind("device", 0) != 0)
          << job.name << ": " << assumption.key;
    }
    const Predicted predicted = predict(scenario, Engine::closed_form);
    EXPECT_GT(predicted.step.predicted, 0.0) << job.name;
    EXPECT_GT(predicted.resident.predicted, predicted.allocated.predicted) << job.name;
    // Classes and rest are the whole step.
    EXPECT_NEAR(predicted.operators.total(), predicted.step.predicted, 1e-9) << job.name;
  }
}

TEST(LocalProfile, MissingAndImpossibleValuesAreNamed) {
  const auto message = [](const std::string& from, const std::string& to) {
    std::string text = kProfile;
    text.replace(text.find(from), from.size(), to);
    Problems problems;
    const input::Settings settings = input::read_scenario(text, "here.toml", problems);
    try {
      problems.throw_if_any();
      static_cast<void>(scenario_of(jobs(Extent::full, 2).back(), settings));
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
    return std::string{};
  };
  EXPECT_NE(message("peak = \"0.08 TFLOP/s\"", "").find("fp32"), std::string::npos);
  EXPECT_NE(message("bandwidth = \"5 GB/s\"", "").find("cluster.intra_node.bandwidth"), std::string::npos);
  EXPECT_NE(message("efficiency = 1.0", "efficiency = -1.0").find("here.toml:7"), std::string::npos);
  EXPECT_NE(message("optimizer_efficiency = 0.9", "optimiser = 0.9").find("optimiser"), std::string::npos);
}

}  // namespace
}  // namespace shardsim::validate::local
