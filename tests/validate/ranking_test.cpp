#include "validate/ranking.hpp"

#include <gtest/gtest.h>

namespace shardsim::tests {
namespace {

using validate::RankedGroup;

/// Measured 10, 12, 11 and 20 s; the third is predicted fastest, the first next.
RankedGroup job() {
  return {"source",
          "job",
          {{"a", 9.5, 10.0, true}, {"b", 12.0, 12.0, true}, {"c", 9.0, 11.0, true}, {"d", 30.0, 20.0, true}}};
}

TEST(Ranking, RegretIsTheChoiceOverTheBestMeasured) {
  EXPECT_NEAR(validate::regret(job(), 1), 0.1, 1e-12);  // 11 s instead of 10 s
  EXPECT_DOUBLE_EQ(validate::regret(job(), 2), 0.0);
  EXPECT_DOUBLE_EQ(job().spread(), 1.0);  // 20 s over 10 s
}

TEST(Ranking, WhatMayRunOutOfMemoryIsChosenLast) {
  RankedGroup group = job();
  group.layouts[2].predicted_fit = false;
  EXPECT_EQ(group.order().front()->layout, "a");
  EXPECT_EQ(group.order().back()->layout, "c");
  EXPECT_DOUBLE_EQ(validate::regret(group, 1), 0.0);
}

TEST(Ranking, AChoiceThatRanOutOfMemoryIsAMiss) {
  RankedGroup group = job();
  group.layouts[2].measured = 0.0;
  EXPECT_EQ(group.measured(), 3U);
  EXPECT_DOUBLE_EQ(validate::regret(group, 1), validate::kRegretOfFailure);
  EXPECT_DOUBLE_EQ(validate::regret(group, 2), 0.0);
  EXPECT_EQ(validate::summarise_ranking({&group}).failed, 1U);
}

TEST(Ranking, SpearmanOfHandSolvedCases) {
  EXPECT_DOUBLE_EQ(validate::spearman({1, 2, 3, 4}, {10, 20, 30, 400}), 1.0);
  EXPECT_DOUBLE_EQ(validate::spearman({1, 2, 3, 4}, {4, 3, 2, 1}), -1.0);
  // Ranks 1 2 3 4 against 2 1 3 4: 1 − 6 · (1 + 1) / (4 · 15) = 0.8.
  EXPECT_DOUBLE_EQ(validate::spearman({1, 2, 3, 4}, {12, 11, 13, 14}), 0.8);
  // Ties: ranks 1.5 1.5 3 against 1 2 3, both with mean 2: (0.5 + 0 + 1) / sqrt(1.5 · 2) = sqrt(3) / 2.
  EXPECT_NEAR(validate::spearman({1, 1, 2}, {1, 2, 3}), 0.8660254037844386, 1e-15);
  EXPECT_DOUBLE_EQ(validate::spearman({1, 1, 1}, {1, 2, 3}), 0.0);
}

/// A run of one GPU count whose settings are given as key and value.
validate::Record run(const std::string& tp, const std::string& micro, const std::string& batch) {
  validate::Record record;
  record.source = "source";
  record.settings.set({"parallelism.tensor_model_parallel_size", tp, {}, ""});
  record.settings.set({"training.micro_batch_size", micro, {}, ""});
  record.settings.set({"training.global_batch_size", batch, {}, ""});
  return record;
}

validate::Result measured(double seconds) {
  validate::Result result;
  result.time = validate::Pair{seconds, seconds, seconds, seconds};
  result.predicted_iteration_s = seconds;
  return result;
}

TEST(Ranking, GroupsHoldRunsThatDifferOnlyInLayout) {
  const std::vector<validate::Record> records{run("1", "1", "64"), run("2", "1", "64"), run("4", "1", "64"),
                                              run("1", "2", "64"), run("1", "2", "64"), run("1", "1", "128")};
  // Two runs of one layout count once, with their median.
  const std::vector<validate::Result> results{measured(10), measured(11), measured(12),
                                              measured(13), measured(15), measured(50)};
  const auto groups = validate::ranked_groups(records, results);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].job, "global_batch_size=64");
  ASSERT_EQ(groups[0].layouts.size(), 4U);
  EXPECT_DOUBLE_EQ(groups[0].spread(), 0.4);
}

TEST(Ranking, SuspectRowsAndSmallGroupsAreLeftOut) {
  std::vector<validate::Record> records{run("1", "1", "64"), run("2", "1", "64"), run("4", "1", "64"),
                                        run("8", "1", "64")};
  const std::vector<validate::Result> results{measured(10), measured(11), measured(12), measured(13)};
  EXPECT_EQ(validate::ranked_groups(records, results).size(), 1U);
  records[3].suspect = "thrashing";
  EXPECT_TRUE(validate::ranked_groups(records, results).empty());
}

}  // namespace
}  // namespace shardsim::tests
