// Statistics by examples that are worked out by hand.
#include "validate/statistics.hpp"

#include <gtest/gtest.h>

namespace shardsim::validate {
namespace {

/// Measured 10, with an interval of ±10 % of the prediction.
Pair predicted(double value) { return {10.0, value, 0.9 * value, 1.1 * value}; }

Result timed(const std::string& source, double measured, double prediction) {
  Result result;
  result.source = source;
  result.time = Pair{measured, prediction, 0.9 * prediction, 1.1 * prediction};
  return result;
}

Result outcome(Outcome real, bool predicted_fit) {
  Result result;
  result.outcome = real;
  result.predicted_fit = predicted_fit;
  return result;
}

TEST(ErrorStatistics, OfFiveRows) {
  // Errors -0.2, -0.1, 0, +0.3, +0.4: sizes 0, 0.1, 0.2, 0.3, 0.4.
  const ErrorStatistics errors =
      error_statistics({predicted(8.0), predicted(13.0), predicted(10.0), predicted(9.0), predicted(14.0)});
  EXPECT_EQ(errors.n, 5u);
  EXPECT_NEAR(errors.median, 0.2, 1e-12);
  EXPECT_NEAR(errors.mape, 0.2, 1e-12);
  // Place 0.9 x 4 = 3.6 between 0.3 and 0.4.
  EXPECT_NEAR(errors.p90, 0.36, 1e-12);
  EXPECT_NEAR(errors.max, 0.4, 1e-12);
  EXPECT_NEAR(errors.bias, 0.0, 1e-12);
  // 10 lies in [9, 11] only; [8.1, 9.9], [7.2, 8.8], [11.7, 14.3], [12.6, 15.4] miss it.
  EXPECT_NEAR(errors.interval_coverage, 0.2, 1e-12);
}

TEST(ErrorStatistics, MedianOfAnEvenNumberIsTheMeanOfTheMiddle) {
  // Errors -0.2, -0.1, +0.3, +0.4.
  const ErrorStatistics errors = error_statistics({predicted(8.0), predicted(9.0), predicted(13.0), predicted(14.0)});
  EXPECT_NEAR(errors.median, 0.25, 1e-12);
  EXPECT_NEAR(errors.bias, 0.1, 1e-12);
}

TEST(ErrorStatistics, OfNothingIsZero) {
  const ErrorStatistics errors = error_statistics({});
  EXPECT_EQ(errors.n, 0u);
  EXPECT_EQ(errors.mape, 0.0);
}

TEST(ErrorStatistics, OfOneRow) {
  const ErrorStatistics errors = error_statistics({predicted(12.0)});
  EXPECT_NEAR(errors.median, 0.2, 1e-12);
  EXPECT_NEAR(errors.p90, 0.2, 1e-12);
}

TEST(AfterOneScale, ThreeRowsOfASourceSetItsFactor) {
  // First, middle and last of five: measured over predicted 2, 2, 4, median 2. The others, 5 and 4.5 for 10, become 10
  // and 9: errors 0 and 0.1.
  const Evaluation evaluation = summarise({timed("a", 10.0, 5.0), timed("a", 10.0, 5.0), timed("a", 10.0, 5.0),
                                           timed("a", 10.0, 4.5), timed("a", 10.0, 2.5)});
  EXPECT_EQ(evaluation.all.after_one_scale.n, 2u);
  EXPECT_NEAR(evaluation.all.after_one_scale.median, 0.05, 1e-12);
  EXPECT_NEAR(evaluation.all.after_one_scale.p90, 0.09, 1e-12);
}

TEST(AfterOneScale, IsLeftOutForThreeRowsOrFewer) {
  const Evaluation evaluation = summarise({timed("a", 10.0, 5.0), timed("a", 10.0, 5.0), timed("a", 10.0, 5.0)});
  EXPECT_EQ(evaluation.all.after_one_scale.n, 0u);
}

TEST(AfterOneScale, EverySourceHasItsOwnFactor) {
  std::vector<Result> results;
  for (int i = 0; i < 4; ++i) {
    results.push_back(timed("half", 10.0, 5.0));
    results.push_back(timed("twice", 10.0, 20.0));
  }
  const Evaluation evaluation = summarise(results);
  EXPECT_EQ(evaluation.all.after_one_scale.n, 2u);
  EXPECT_NEAR(evaluation.all.after_one_scale.median, 0.0, 1e-12);
}

TEST(MedianSource, TakesEveryNumbersMedianOfSources) {
  const Evaluation evaluation = summarise({timed("a", 10.0, 11.0), timed("b", 10.0, 12.0), timed("b", 10.0, 12.0),
                                           timed("c", 10.0, 4.0), outcome(Outcome::fits, true)});
  const Summary median = median_source(evaluation.by_source);
  // Errors +0.1, +0.2, -0.6; the source of the outcome has no time.
  EXPECT_EQ(median.time.n, 3u);
  EXPECT_NEAR(median.time.median, 0.2, 1e-12);
  EXPECT_NEAR(median.time.bias, 0.1, 1e-12);
  EXPECT_EQ(median.memory.n, 0u);
}

TEST(Confusion, CountsBothKindsOfMistakes) {
  const Evaluation evaluation = summarise(
      {outcome(Outcome::fits, true), outcome(Outcome::fits, true), outcome(Outcome::fits, true),
       outcome(Outcome::fits, false), outcome(Outcome::out_of_memory, false), outcome(Outcome::out_of_memory, true)});
  const Confusion& fit = evaluation.all.fit;
  EXPECT_EQ(fit.true_fit, 3u);
  EXPECT_EQ(fit.false_oom, 1u);
  EXPECT_EQ(fit.true_oom, 1u);
  EXPECT_EQ(fit.false_fit, 1u);
  // Mean of 3/4 and 1/2.
  EXPECT_NEAR(fit.balanced_accuracy(), 0.625, 1e-12);
}

TEST(Confusion, BalancedAccuracyNeedsBothOutcomes) {
  EXPECT_EQ(summarise({outcome(Outcome::fits, true)}).all.fit.balanced_accuracy(), 0.0);
}

TEST(Evaluation, SkippedRowsAreCountedByReasonAndSuspectOnesApart) {
  Result skipped;
  skipped.source = "a";
  skipped.skipped = "expert parallelism";
  Result suspect = timed("a", 10.0, 20.0);
  suspect.suspect = "composed";
  const Evaluation evaluation = summarise({timed("a", 10.0, 11.0), timed("b", 10.0, 12.0), skipped, skipped, suspect});
  EXPECT_EQ(evaluation.rows, 5u);
  EXPECT_EQ(evaluation.all.scored, 2u);
  EXPECT_NEAR(evaluation.all.time.mape, 0.15, 1e-12);
  EXPECT_EQ(evaluation.skipped.at("expert parallelism"), 2u);
  ASSERT_EQ(evaluation.by_source.size(), 2u);
  EXPECT_NEAR(evaluation.by_source.at("b").time.mape, 0.2, 1e-12);
  EXPECT_EQ(evaluation.suspect.scored, 1u);
  EXPECT_NEAR(evaluation.suspect_by_source.at("a").time.mape, 1.0, 1e-12);
}

// Configuration "x" took 8, 10 and 16: median 10, |10 − 8|/8 = 0.25, 0, |10 − 16|/16 = 0.375; mean 0.625/3. "y" is alone.
TEST(Repeats, SpreadAroundTheMedianOfEachConfiguration) {
  std::vector<Result> results;
  for (const double time : {8.0, 10.0, 16.0}) {
    results.push_back(timed("s", time, 10.0));
    results.back().configuration = "x";
  }
  results.push_back(timed("s", 5.0, 10.0));
  results.back().configuration = "y";
  std::vector<const Result*> group;
  for (const Result& result : results) group.push_back(&result);
  const Repeats repeats = repeats_of(group);
  EXPECT_EQ(repeats.n, 3U);
  EXPECT_NEAR(repeats.spread, 0.625 / 3.0, 1e-12);
}

// One GPU at 40 TFLOP/s, predicted in its time; eight at 30, predicted in 0.8 of theirs: 30/40 = 0.75 against
// 0.75/0.8 = 0.9375; times 10/(0.8 · 20).
TEST(WeakScaling, AgainstTheFirstRunOfTheSeries) {
  Result one = timed("s", 10.0, 10.0);
  Result eight = timed("s", 20.0, 16.0);
  one.where = eight.where = "Figure 5 (weak-scaling efficiency)";
  one.hardware_tflops_per_gpu = 40.0;
  eight.hardware_tflops_per_gpu = 30.0;
  const std::vector<ScalingPoint> points = weak_scaling({timed("s", 1.0, 1.0), one, eight});
  ASSERT_EQ(points.size(), 2U);
  EXPECT_DOUBLE_EQ(points[0].predicted, 1.0);
  EXPECT_DOUBLE_EQ(points[1].measured, 0.75);
  EXPECT_DOUBLE_EQ(points[1].predicted, 0.9375);
  EXPECT_DOUBLE_EQ(points[1].predicted_by_time, 0.625);
}

}  // namespace
}  // namespace shardsim::validate
