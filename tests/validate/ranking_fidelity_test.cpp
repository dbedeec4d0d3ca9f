// Measured layouts of one job: a plan would have chosen the fastest, or one hardly slower.
#include <gtest/gtest.h>

#include "validate/options.hpp"
#include "validate/ranking.hpp"
#include "validate/selection.hpp"

namespace shardsim::validate {
namespace {

std::map<std::string, Ranking> published_rankings() {
  const std::string folder = SHARDSIM_SOURCE_DIR "/validate/published/";
  const std::vector<Record> records =
      read_files({folder + "published_runs.jsonl", folder + "published_runs_oom.jsonl"});
  return ranking_by_source(ranked_groups(records, evaluate(records)));
}

Ranking of_source(const std::map<std::string, Ranking>& rankings, const std::string& part) {
  for (const auto& [source, ranking] : rankings) {
    if (source.find(part) != std::string::npos) return ranking;
  }
  ADD_FAILURE() << part << " has no group";
  return {};
}

TEST(RankingFidelity, TheChosenLayoutIsTheFastestMeasuredOrHardlySlower) {
  const std::map<std::string, Ranking> rankings = published_rankings();

  const Ranking hagemann = of_source(rankings, "Hagemann");
  EXPECT_GE(hagemann.groups, 10U);
  EXPECT_EQ(hagemann.failed, 0U);
  EXPECT_GE(hagemann.spearman_median, 0.90);
  EXPECT_LE(hagemann.regret_median, 0.005);
  EXPECT_LE(hagemann.regret_mean, 0.035);

  // Single short runs on a shared cluster: of one configuration they differ by up to five times.
  const Ranking nanotron = of_source(rankings, "Ultra-Scale");
  EXPECT_GE(nanotron.groups, 10U);
  EXPECT_EQ(nanotron.failed, 0U);
  EXPECT_GE(nanotron.spearman_median, 0.90);
  EXPECT_LE(nanotron.regret_of_three_median, 0.0);
  EXPECT_LE(nanotron.regret_of_three_mean, 0.08);

  const Ranking vtrain = of_source(rankings, "vTrain");
  EXPECT_LE(vtrain.regret_mean, 0.0105);

  const Ranking zero_bubble = of_source(rankings, "Zero Bubble");
  EXPECT_EQ(zero_bubble.best_chosen, zero_bubble.groups);
}

}  // namespace
}  // namespace shardsim::validate
