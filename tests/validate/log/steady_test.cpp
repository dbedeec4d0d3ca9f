#include "validate/log/steady.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace shardsim::validate::log {
namespace {

std::string line(int iteration, double milliseconds, int batch = 512) {
  std::ostringstream text;
  text << " iteration " << iteration
       << "/ 1000 | consumed samples: 1 | elapsed time per iteration (ms): " << milliseconds
       << " | learning rate: 1.0E-04 | global batch size: " << batch << " | lm loss: 1.0E+00 |\n";
  return text.str();
}

std::size_t left_out(const Steady& steady, const std::string& reason) {
  for (const LeftOut& one : steady.left_out) {
    if (one.reason == reason) return one.count;
  }
  return 0;
}

Steady steady_of(const std::string& text) { return steady(read_training_log(text, "train.log"), 0.0); }

TEST(Steady, WarmUpAndSlowIterationsAreLeftOut) {
  const Steady result = steady_of(line(1, 9000) + line(2, 3000) + line(3, 1000) + line(4, 1010) + line(5, 990) +
                                  "saving checkpoint at iteration 5 to x\n" + line(6, 1500) + line(7, 1000) +
                                  " validation loss at iteration 7 | lm loss value: 1\n" + line(8, 4000) +
                                  line(9, 1300) + line(10, 1000));
  EXPECT_DOUBLE_EQ(result.median_s, 1.0);
  EXPECT_EQ(result.used, 5u);
  EXPECT_EQ(left_out(result, "warm-up"), 2u);
  EXPECT_EQ(left_out(result, "beside a checkpoint"), 1u);
  EXPECT_EQ(left_out(result, "beside an evaluation"), 1u);
  EXPECT_EQ(left_out(result, "slow"), 1u);
  EXPECT_EQ(result.first_iteration, 3);
  EXPECT_EQ(result.last_line, 12);
}

TEST(Steady, TheLastSegmentCounts) {
  // A restart from the checkpoint of iteration 20: the log's numbers fall.
  std::string text;
  for (int i = 1; i <= 25; ++i) text += line(i, 1000);
  for (int i = 21; i <= 30; ++i) text += line(i, i == 21 ? 8000 : 800);
  const Steady result = steady_of(text);
  EXPECT_DOUBLE_EQ(result.median_s, 0.8);
  EXPECT_EQ(left_out(result, "before a restart"), 25u);
  EXPECT_EQ(left_out(result, "warm-up"), 1u);
}

TEST(Steady, ARampOfTheBatchSizeIsToldApart) {
  std::string text;
  for (int i = 1; i <= 20; ++i) text += line(i, 250, 128);
  for (int i = 21; i <= 40; ++i) text += line(i, 1000, 512);
  const Steady result = steady_of(text);
  EXPECT_DOUBLE_EQ(result.median_s, 1.0);
  EXPECT_EQ(*result.global_batch_size, 512);
  EXPECT_EQ(left_out(result, "of another batch size or sequence length"), 20u);
  // No new start: nothing warms up.
  EXPECT_EQ(left_out(result, "warm-up"), 0u);
}

TEST(Steady, ALastSegmentOfTwoSaysTooLittle) {
  std::string text;
  for (int i = 1; i <= 10; ++i) text += line(i, 1000);
  text += line(8, 9000) + line(9, 700);
  const Steady result = steady_of(text);
  EXPECT_DOUBLE_EQ(result.median_s, 1.0);
  EXPECT_EQ(left_out(result, "after the last restart, too few to tell"), 2u);
}

TEST(Steady, OneIterationIsUsedAsItIs) {
  const Steady result = steady_of(line(1, 1234));
  EXPECT_DOUBLE_EQ(result.median_s, 1.234);
  EXPECT_EQ(result.used, 1u);
}

TEST(Steady, RanksThatPrintTheSameIterationCountOnce) {
  std::string text;
  for (int i = 1; i <= 5; ++i) text += line(i, 1000) + line(i, 1020);
  const Steady result = steady_of(text);
  EXPECT_DOUBLE_EQ(result.median_s, 1.02);
  EXPECT_EQ(result.used, 4u);
}

}  // namespace
}  // namespace shardsim::validate::log
