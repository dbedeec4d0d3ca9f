// Leaving one source out, and the search for constants that it needs.
#include "validate/transfer.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/validate/rows.hpp"
#include "validate/evaluate.hpp"
#include "validate/fit_constants.hpp"

namespace shardsim::validate {
namespace {

// (log x − log 8)² + (log y − log 0.25)²: from 1, steps down to 1.06 come within 6 % of both; a value of 0 stays.
TEST(Search, ComesNearTheMinimum) {
  const auto loss = [](const std::vector<double>& values) {
    return std::pow(std::log(values[0] / 8.0), 2) + std::pow(std::log(values[1] / 0.25), 2);
  };
  const std::vector<double> found = search({1.0, 1.0, 0.0}, loss);
  EXPECT_NEAR(found[0], 8.0, 0.06 * 8.0);
  EXPECT_NEAR(found[1], 0.25, 0.06 * 0.25);
  EXPECT_EQ(found[2], 0.0);
}

/// A run of the source that took `factor` times as long as predicted.
Record run_of(const std::string& source, double factor) {
  const Record exact = read(with(gpt_row(), "/measured/iteration_s", 1.0));
  const double predicted = evaluate(exact).time->predicted;
  Json row = with(gpt_row(), "/measured/iteration_s", factor * predicted);
  return read(with(row, "/source", source));
}

// Both sources run the same stack on the same device, 10 % slower than predicted: what is refitted on one of them
// meets the other. The smallest step of a factor is 6 %, and the slowdown of products is not all of the time.
TEST(LeaveOneSourceOut, TheOtherSourceSetsTheConstants) {
  const std::map<std::string, Transfer> transfer = leave_one_source_out({run_of("a", 1.1), run_of("b", 1.1)});
  ASSERT_EQ(transfer.size(), 2U);
  EXPECT_TRUE(transfer.at("a").from_kin.empty());
  EXPECT_EQ(transfer.at("a").time.n, 1U);
  EXPECT_LT(transfer.at("a").time.mape, 0.06);
}

TEST(LeaveOneSourceOut, WithoutOthersTheKinServes) {
  const std::map<std::string, Transfer> transfer = leave_one_source_out({run_of("a", 1.0)});
  const std::vector<std::string> expected{"a100-80gb <- h100-80gb", "megatron-lm-2021 <- megatron-lm-2022"};
  EXPECT_EQ(transfer.at("a").from_kin, expected);
}

TEST(LeaveOneSourceOut, SuspectRowsAndOtherQualitiesDoNotCount) {
  Record suspect = run_of("a", 1.0);
  suspect.suspect = "composed";
  Record toy = run_of("b", 1.0);
  toy.quality = "B";
  EXPECT_TRUE(leave_one_source_out({suspect, toy}).empty());
}

}  // namespace
}  // namespace shardsim::validate
