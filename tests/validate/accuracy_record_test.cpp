#include "validate/accuracy_record.hpp"

#include <gtest/gtest.h>

#include "sim/base/problems.hpp"
#include "validate/accuracy_table.hpp"

namespace shardsim::validate {
namespace {

Result run(const std::string& source, const std::string& quality, double error) {
  Result result;
  result.source = source;
  result.quality = quality;
  result.time = Pair{10.0, 10.0 * (1.0 + error), 0.0, 100.0};
  result.outcome = Outcome::fits;
  return result;
}

Result ran_out(const std::string& source, bool predicted_fit) {
  Result result;
  result.source = source;
  result.outcome = Outcome::out_of_memory;
  result.predicted_fit = predicted_fit;
  return result;
}

AccuracyRecord with_error(double error) {
  return accuracy_of({run("paper", "A", error), run("other", "A", 0.1), ran_out("paper", false)});
}

TEST(AccuracyRecord, GroupsRowsByQualityAndSuspicion) {
  Result suspect = run("paper", "A", 0.5);
  suspect.suspect = "composed";
  Result skipped = run("paper", "A", 0.5);
  skipped.skipped = "expert parallelism";
  const AccuracyRecord record =
      accuracy_of({run("paper", "A", 0.1), run("flags", "", 0.2), run("toy", "B", 0.3), suspect, skipped});
  EXPECT_EQ(record.quality_a.by_source.size(), 2u);
  EXPECT_NEAR(record.quality_a.all.time.mape, 0.15, 1e-12);
  EXPECT_NEAR(record.other_qualities.by_source.at("toy").time.mape, 0.3, 1e-12);
  EXPECT_EQ(record.suspect.all.scored, 1u);
}

TEST(AccuracyRecord, ReadsWhatItWrites) {
  const std::string text = to_text(with_error(0.123456));
  const AccuracyRecord record = read_accuracy_record(text, "record.json");
  // Four decimals are kept.
  EXPECT_EQ(record.quality_a.by_source.at("paper").time.mape, 0.1235);
  EXPECT_EQ(record.quality_a.by_source.at("paper").fit.true_oom, 1u);
  EXPECT_GT(record.fitted_constants.stacks, 0u);
  EXPECT_EQ(to_text(record), text);
}

TEST(AccuracyRecord, RefusesWhatIsNone) {
  EXPECT_THROW(static_cast<void>(read_accuracy_record("{", "record.json")), InputError);
  EXPECT_THROW(static_cast<void>(read_accuracy_record("{\"quality_a\": {}}", "record.json")), InputError);
}

TEST(WorseThanRecorded, AllowsThreeTenthsOfAPoint) {
  EXPECT_TRUE(worse_than_recorded(with_error(0.1), with_error(0.1029)).empty());
  EXPECT_TRUE(worse_than_recorded(with_error(0.1), with_error(0.05)).empty());
  EXPECT_FALSE(worse_than_recorded(with_error(0.1), with_error(0.1031)).empty());
  // Too fast is as wrong as too slow.
  EXPECT_FALSE(worse_than_recorded(with_error(0.1), with_error(-0.1031)).empty());
}

TEST(WorseThanRecorded, NamesSourceMetricAndBothValues) {
  const std::vector<std::string> lines = worse_than_recorded(with_error(0.1), with_error(0.15));
  // The mean of both sources rises from 10 to 12.5 % too.
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "quality A, all: time median: 12.50 %, recorded 10.00 %");
  EXPECT_EQ(lines[2], "quality A, paper: time median: 15.00 %, recorded 10.00 %");
  EXPECT_EQ(lines[3], "quality A, paper: time mean: 15.00 %, recorded 10.00 %");
}

TEST(WorseThanRecorded, ASourceMustNotVanishNorScoreFewerRows) {
  const AccuracyRecord recorded = accuracy_of({run("a", "A", 0.1), run("a", "A", 0.1), run("b", "A", 0.1)});
  const std::vector<std::string> lines = worse_than_recorded(recorded, accuracy_of({run("a", "A", 0.1)}));
  EXPECT_EQ(lines, (std::vector<std::string>{"quality A, all: 1 rows scored, recorded 3",
                                             "quality A, a: 1 rows scored, recorded 2", "quality A, b: is gone"}));
}

TEST(WorseThanRecorded, OutcomesCountToo) {
  const auto outcomes = [](bool predicted_fit) {
    return accuracy_of({run("a", "A", 0.1), ran_out("a", false), ran_out("a", predicted_fit)});
  };
  EXPECT_TRUE(worse_than_recorded(outcomes(true), outcomes(false)).empty());
  EXPECT_EQ(worse_than_recorded(outcomes(false), outcomes(true)).size(), 2u);
}

TEST(AccuracyTable, WorstSourceFirst) {
  const std::string table = accuracy_table(accuracy_of({run("good", "A", 0.01), run("bad", "A", -0.5)}));
  const std::size_t bad = table.find("| bad | 1 | 50.0 | 50.0 | 50.0 | -50.0 | 100.0 | | | | | | | | |\n");
  const std::size_t good = table.find("| good | 1 | 1.0 | 1.0 | 1.0 | +1.0 | 100.0 | | | | | | | | |\n");
  ASSERT_NE(bad, std::string::npos) << table;
  ASSERT_NE(good, std::string::npos) << table;
  EXPECT_LT(bad, good);
}

TEST(AccuracyTable, TakesThePlaceBetweenItsMarkers) {
  const std::string readme = "before\n<!-- accuracy table, by x -->\nold\n<!-- end of accuracy table -->\nafter\n";
  const AccuracyRecord record = with_error(0.1);
  const std::string changed = with_accuracy_table(readme, "README.md", record);
  EXPECT_EQ(changed, "before\n<!-- accuracy table, by x -->\n\n" + accuracy_table(record) +
                         "\n<!-- end of accuracy table -->\nafter\n");
  EXPECT_EQ(with_accuracy_table(changed, "README.md", record), changed);
  EXPECT_THROW(static_cast<void>(with_accuracy_table("no markers\n", "README.md", record)), InputError);
}

}  // namespace
}  // namespace shardsim::validate
