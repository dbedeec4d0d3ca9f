#include "sim/report/decision.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/report/format.hpp"
#include "sim/report/report.hpp"
#include "tests/plan/candidates.hpp"

namespace shardsim::tests {
namespace {

/// The winner saves 1.5 s of recomputation and 1 s of bubble and loses 0.25 s to tensor parallelism; 8 s are 10.25 s
/// otherwise.
plan::Decision decision() {
  plan::Candidate winner = made_up({4, 1, 1, 0, 0, 0.5, 0, 0, 0.25, 0.5, 0.25, 0.5}, 10_GiB);
  plan::Candidate other = made_up({4, 1, 1, 1.5, 0, 0.25, 0, 0, 1.25, 0.5, 0.25, 0.5}, 8_GiB);
  other.scenario.training.recompute.granularity = model::RecomputeGranularity::full;
  plan::Decision decision;
  decision.against_runner_up = plan::compare(winner, other);
  decision.probability_best = 0.875;
  decision.flips = {{"inter_node.bandwidth", "bandwidth between nodes", 0.8}};
  decision.objectives = {plan::Objective::time, plan::Objective::memory};
  decision.front = {winner, other};
  return decision;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(DecisionLines, TellTheDifferenceTermByTerm) {
  const std::string text = joined(report::decision_lines(decision()));
  const auto holds = [&](const char* part) { return text.find(part) != std::string::npos; };
  // 2.25 of the winner's 8 s; 1.5 of the other's 10.25 s.
  EXPECT_TRUE(holds("the runner-up takes 10.25 s, 2.250 s (28.1 %) more")) << text;
  EXPECT_TRUE(holds("1.500 s less  (14.6 %)  recomputation none instead of full")) << text;
  EXPECT_TRUE(holds("250.0 ms more")) << text;
  EXPECT_TRUE(holds("30.00 GiB to spare instead of 32.00 GiB to spare")) << text;
  EXPECT_TRUE(holds("probability 87.5 %")) << text;
  EXPECT_TRUE(holds("bandwidth between nodes,")) << text;
  EXPECT_TRUE(holds("x 0.80, would put the second first")) << text;
  EXPECT_LT(text.find("recompute"), text.find("pipeline_bubble"));
}

TEST(DecisionLines, FitTheScreenAndSayWhenNothingFlips) {
  plan::Decision quiet = decision();
  quiet.flips.clear();
  const auto lines = report::decision_lines(quiet);
  for (const std::string& line : lines) EXPECT_LE(report::characters(line), report::kTableColumns) << line;
  EXPECT_NE(joined(lines).find("no constant within a factor of 2"), std::string::npos);
}

TEST(DecisionJson, HoldsWhyConfidenceAndFront) {
  nlohmann::ordered_json json;
  report::add_decision(json, decision());
  ASSERT_EQ(json["why"].size(), 1U);
  EXPECT_EQ(json["why"][0]["against"], "runner_up");
  EXPECT_EQ(json["why"][0]["saved_s"], 2.25);
  EXPECT_EQ(json["why"][0]["terms"][0]["term"], "recompute");
  EXPECT_EQ(json["why"][0]["terms"][0]["saved_s"], 1.5);
  EXPECT_EQ(json["confidence"]["probability_best"], 0.875);
  EXPECT_EQ(json["confidence"]["flips"][0]["constant"], "inter_node.bandwidth");
  EXPECT_EQ(json["confidence"]["flips"][0]["factor"], 0.8);
  ASSERT_EQ(json["pareto"].size(), 2U);
  EXPECT_EQ(json["pareto"][0]["time"], 8.0);
  EXPECT_EQ(json["pareto"][1]["memory"], 8.0 * 1024 * 1024 * 1024);
}

TEST(Decision, ComparesWithTheRunnerUpAndWithWhatWasGiven) {
  model::Scenario piped = two_nodes_job();
  divide(piped, 1, 4, 4, 16);
  const plan::Candidate first = candidate_of(two_nodes_job());
  const plan::Candidate second = candidate_of(piped);
  const plan::Decision both = plan::decide({first, second}, second);
  ASSERT_TRUE(both.against_runner_up && both.against_given);
  EXPECT_EQ(both.against_given->saved(), both.against_runner_up->saved());
  EXPECT_GT(both.probability_best, 0.0);
  // What was given is what won: there is nothing to say.
  EXPECT_FALSE(plan::decide({first, second}, first).against_given);
  EXPECT_FALSE(plan::decide({first}, {}).against_runner_up);
  EXPECT_EQ(plan::decide({first}, {}).probability_best, 1.0);
}

}  // namespace
}  // namespace shardsim::tests
