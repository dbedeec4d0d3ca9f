#include "sim/plan/explain.hpp"

#include <gtest/gtest.h>

#include "tests/plan/candidates.hpp"

namespace shardsim::tests {
namespace {

TEST(Explain, TermsSumToTheDifferenceAndTheLargestComesFirst) {
  // matrix, attention, memory, recompute, host, tensor, context, pipeline, bubble, data, optimizer, fixed
  const plan::Candidate winner = made_up({4, 1, 1, 0, 0, 0.5, 0, 0, 0.25, 0.5, 0.25, 0.5}, 10_GiB);
  const plan::Candidate other = made_up({4, 1, 1, 1.5, 0, 0.25, 0, 0, 1.25, 0.5, 0.25, 0.5}, 8_GiB);
  const plan::Comparison comparison = plan::compare(winner, other);
  ASSERT_EQ(comparison.terms.size(), 3U);
  EXPECT_EQ(comparison.terms[0].name, "recompute");
  EXPECT_EQ(comparison.terms[1].name, "pipeline_bubble");
  EXPECT_EQ(comparison.terms[2].name, "tensor_parallel_exposed");
  EXPECT_EQ(comparison.terms[0].saved(), Seconds{1.5});
  EXPECT_EQ(comparison.terms[1].saved(), Seconds{1.0});
  // The winner waits longer for its tensor-parallel collectives.
  EXPECT_EQ(comparison.terms[2].saved(), Seconds{-0.25});
  Seconds sum{0.0};
  for (const plan::TermDifference& term : comparison.terms) sum += term.saved();
  EXPECT_EQ(sum, comparison.saved());
  EXPECT_EQ(comparison.saved(), Seconds{2.25});
  EXPECT_EQ(comparison.winner_margin, 30_GiB);
  EXPECT_EQ(comparison.other_margin, 32_GiB);
}

TEST(Explain, NamesTheChoicesThatBearOnTheTerm) {
  model::Scenario winner = two_nodes_job();
  divide(winner, 2, 2, 4, 16);
  model::Scenario other = two_nodes_job();
  divide(other, 2, 4, 2, 32);
  const plan::Comparison comparison = plan::compare(candidate_of(winner), candidate_of(other));
  bool has_bubble = false;
  for (const plan::TermDifference& term : comparison.terms) {
    if (term.name != "pipeline_bubble") continue;
    has_bubble = true;
    EXPECT_EQ(term.cause, "pipeline stages 2 instead of 4, micro batches per iteration 16 instead of 32");
    // One of sixteen against three of thirty-two waiting beats: less is lost by the winner.
    EXPECT_GT(term.saved(), Seconds{0.0});
  }
  EXPECT_TRUE(has_bubble);
}

TEST(Explain, EqualPlansDifferInNothing) {
  const plan::Candidate plan = candidate_of(two_nodes_job());
  EXPECT_TRUE(plan::compare(plan, plan).terms.empty());
  EXPECT_EQ(plan::compare(plan, plan).saved(), Seconds{0.0});
}

}  // namespace
}  // namespace shardsim::tests
