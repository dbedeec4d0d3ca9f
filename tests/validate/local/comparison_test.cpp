#include "validate/local/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "validate/local/machine_load.hpp"
#include "validate/local/options.hpp"
#include "validate/local/readme.hpp"

namespace shardsim::validate::local {
namespace {

Run run_of(std::vector<double> steps, double probe, double communication = 0.0) {
  Run run;
  run.steps = std::move(steps);
  run.allocated = 100.0;
  run.resident = 150.0;
  run.probe = probe;
  run.operators.by_class[index_of(Class::communication)] = communication;
  return run;
}

Row row_of(double predicted, std::vector<Run> runs) {
  Row row;
  row.job.name = "job";
  row.job.group = "gpt, 1 rank";
  row.predicted.step = {0.0, predicted, 0.9 * predicted, 1.1 * predicted};
  row.predicted.allocated = {0.0, 101.0, 90.0, 110.0};
  row.predicted.resident = {0.0, 147.0, 100.0, 200.0};
  row.predicted.probe = 0.002;
  row.runs = std::move(runs);
  return row;
}

TEST(LocalComparison, TakesTheUndisturbedIterationsOfAllRepeats) {
  // 1, 1, 2, 3, 3, 9: the tenth lies between the first two, the median is 2.5. The repeats' own tenths, 1 and 3, differ
  // by 200 %.
  const Row row = row_of(2.2, {run_of({1.0, 1.0, 2.0}, 0.002), run_of({3.0, 9.0, 3.0}, 0.002)});
  EXPECT_DOUBLE_EQ(row.step().measured, 1.0);
  EXPECT_DOUBLE_EQ(row.median_step().measured, 2.5);
  EXPECT_DOUBLE_EQ(row.step().predicted, 2.2);
  EXPECT_DOUBLE_EQ(row.spread(), 2.0);
  EXPECT_DOUBLE_EQ(row.allocated().error(), 0.01);
  EXPECT_DOUBLE_EQ(row.resident().error(), -0.02);
}

TEST(LocalComparison, TellsOfDriftBesideError) {
  // The probe takes 2 ms by the profile; beside the runs it took 2.5 ms, as if everything were 1.25 times slower.
  const std::vector<Row> rows{row_of(1.0, {run_of({1.25}, 0.0025)}), row_of(2.0, {run_of({2.5}, 0.0025)})};
  const LocalSummary summary = summarise(rows);
  EXPECT_NEAR(summary.time.median, 0.2, 1e-12);
  EXPECT_NEAR(summary.time_without_drift.median, 0.0, 1e-12);
  EXPECT_NEAR(summary.drift.since_calibration, 0.25, 1e-12);
  EXPECT_NEAR(summary.drift.spread, 0.0, 1e-12);
  EXPECT_NEAR(summary.rank_correlation, 1.0, 1e-12);
}

TEST(LocalComparison, FailedAndMissingRunsAreNotScored) {
  Row failed = row_of(1.0, {run_of({1.0}, 0.002)});
  failed.failure = "killed by signal 9";
  const LocalSummary summary = summarise({failed, row_of(1.0, {}), row_of(1.0, {run_of({1.0}, 0.002)})});
  EXPECT_EQ(summary.rows, 3U);
  EXPECT_EQ(summary.scored, 1U);
  EXPECT_EQ(summarise(std::vector<Row>{}).scored, 0U);
}

// Spearman: 1 − 6 Σd²/(n(n² − 1)); d = 0, 1, 1, 0 of four: 1 − 12/60 = 0.8. With ties x = 1, 2.5, 2.5, 4 and
// y = 1, 2, 3, 4: Pearson of the ranks, Σxy − 4·2.5² = 29.5 − 25 = 4.5 over √(4.5 · 5) = 0.9487.
TEST(LocalComparison, RankCorrelation) {
  const auto pairs = [](const std::vector<double>& measured, const std::vector<double>& predicted) {
    std::vector<Pair> result;
    for (std::size_t i = 0; i < measured.size(); ++i) result.push_back({measured[i], predicted[i], 0.0, 0.0});
    return result;
  };
  EXPECT_DOUBLE_EQ(rank_correlation(pairs({1, 2, 3, 4}, {10, 30, 20, 40})), 0.8);
  EXPECT_DOUBLE_EQ(rank_correlation(pairs({1, 2, 3}, {3, 2, 1})), -1.0);
  EXPECT_NEAR(rank_correlation(pairs({1, 2, 2, 4}, {1, 2, 3, 4})), 0.9487, 1e-4);
  EXPECT_DOUBLE_EQ(rank_correlation(pairs({1}, {1})), 0.0);
}

TEST(LocalComparison, ClassesAreSharesOfTheStep) {
  Row row = row_of(2.0, {run_of({2.0}, 0.002, 0.5)});
  row.predicted.operators.by_class[index_of(Class::communication)] = 0.4;
  const ClassSummary communication = summarise({row}).classes[index_of(Class::communication)];
  EXPECT_DOUBLE_EQ(communication.share, 0.25);
  EXPECT_DOUBLE_EQ(communication.ratio, 0.8);
  EXPECT_DOUBLE_EQ(communication.median_of_step, 0.05);
}

TEST(LocalMachineLoad, CountsEverybodysTime) {
  // user 100, nice 20, system 50, idle, waiting, interrupts 1 + 2, stolen 3, of which guests are part of user.
  const double ticks = 176.0;
  EXPECT_DOUBLE_EQ(busy_seconds("cpu  100 20 50 1000 5 1 2 3 7 7"), ticks / 100.0);
  EXPECT_DOUBLE_EQ(busy_seconds("intr 5"), 0.0);
}

TEST(LocalOptions, DefaultsAndMistakes) {
  EXPECT_TRUE(asks_for_local({"--quick", "--local"}));
  EXPECT_FALSE(asks_for_local({"runs.jsonl"}));
  EXPECT_EQ(parse_local_options({"--local"}).repeats, 2);
  EXPECT_EQ(parse_local_options({"--local", "--quick"}).repeats, 1);
  EXPECT_EQ(parse_local_options({"--local", "--quick", "--repeat", "2"}).repeats, 2);
  const auto message = [](const std::vector<std::string>& words) {
    try {
      static_cast<void>(parse_local_options(words));
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
    return std::string{};
  };
  EXPECT_NE(message({"--local", "--qick"}).find("--quick"), std::string::npos);
  EXPECT_NE(message({"--local", "--repeat", "0"}).find("1 … 100"), std::string::npos);
  EXPECT_NE(message({"--local", "runs.jsonl"}).find("--profile"), std::string::npos);
  EXPECT_NE(message({"--local", "--format", "xml"}).find("table or json"), std::string::npos);
}

TEST(LocalReport, NamesWhatFailed) {
  Comparison comparison;
  comparison.machine = "2 cores of a test";
  comparison.rows = {row_of(1.0, {run_of({1.0, 1.02}, 0.002)}), row_of(1.0, {})};
  comparison.rows[1].job.name = "other";
  comparison.rows[1].failure = "exit code 70: out of memory";
  std::ostringstream table;
  write_table(table, comparison);
  EXPECT_NE(table.str().find("other                               FAILED: exit code 70"), std::string::npos);
  EXPECT_NE(table.str().find("1 of 2 jobs compared"), std::string::npos);
  const auto json = to_json(comparison);
  EXPECT_EQ(json.at("rows"), 2);
  EXPECT_EQ(json.at("scored"), 1);
  EXPECT_EQ(json.at("failed")[0].at("name"), "other");
  EXPECT_DOUBLE_EQ(json.at("memory").at("mape").get<double>(), 0.01);
  EXPECT_NE(figure(comparison.rows).find("gpt, 1 rank (1)"), std::string::npos);
  const std::string csv = rows_csv(comparison.rows);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
}

TEST(LocalReadme, HoldsTheTableBetweenItsMarkers) {
  Comparison comparison;
  comparison.machine = "2 cores of a test";
  comparison.rows = {row_of(1.0, {run_of({1.0}, 0.002)})};
  const auto json = to_json(comparison);
  const std::string readme = "before\n<!-- local runs, written -->\nold\n<!-- end of local runs -->\nafter\n";
  const std::string changed = with_local_runs(readme, "README.md", json);
  EXPECT_EQ(changed.find("old"), std::string::npos);
  EXPECT_NE(changed.find("| job | 1000.0 | 1000.0 | +0.0 | 0.0 | 0.0 | 0.0 | +1.0 | -2.0 |"), std::string::npos);
  EXPECT_EQ(with_local_runs(changed, "README.md", json), changed);
  EXPECT_THROW(static_cast<void>(with_local_runs("no markers\n", "README.md", json)), InputError);
}

}  // namespace
}  // namespace shardsim::validate::local
