#include <gtest/gtest.h>

#include <sstream>

#include "sim/report/format.hpp"
#include "tests/report/example.hpp"

namespace shardsim::tests {
namespace {

std::vector<std::string> table_of(const model::Scenario& scenario, const engine::Prediction& prediction,
                                  const std::vector<plan::Change>& changes = {}) {
  std::stringstream text;
  report::write_table(text, scenario, prediction, changes);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// The line that contains `part`; empty = none.
std::string line_with(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines) {
    if (line.find(part) != std::string::npos) return line;
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Everything that makes a table long or wide at once.
void expect_one_screen(const engine::Prediction& base) {
  model::Scenario scenario = example_scenario();
  engine::Prediction prediction = base;
  scenario.name = std::string(300, 'n');
  // Two bytes a character: cutting must not count bytes nor split one.
  for (int i = 0; i < 150; ++i) scenario.cluster.name += "\u00e9";
  for (int i = 0; i < 60; ++i) scenario.assumed.push_back({"key", std::string(200, 'v'), "line\nbreak"});
  for (int i = 0; i < 60; ++i) scenario.warnings.push_back(std::string(200, 'w'));
  for (int i = 0; i < 30; ++i) prediction.time.push_back({"a_term_of_the_time_with_a_very_long_name", Seconds{1e-3}});
  scenario.model.num_layers = 62;
  scenario.parallelism.pipeline_model_parallel_size = 62;
  for (int i = 2; i < 62; ++i) prediction.memory.stages.push_back(example_stage(i));
  plan::Change change = example_change();
  change.description = std::string(300, 'c');
  const auto lines = table_of(scenario, prediction, {change, change, change});
  EXPECT_LE(lines.size(), report::kTableLines);
  for (const std::string& line : lines) EXPECT_LE(report::characters(line), report::kTableColumns) << line;
}

TEST(Table, FitsOneScreen) {
  EXPECT_LE(report::kTableLines, 50U);
  EXPECT_LE(report::kTableColumns, 100U);
  expect_one_screen(fitting());
  expect_one_screen(not_fitting());
}

TEST(Table, SaysTheVerdictFirst) {
  const auto fits = table_of(example_scenario(), fitting());
  ASSERT_GE(fits.size(), 2U);
  // Stage 1 uses 28 + 1 + 2 = 31 of 40 GiB.
  EXPECT_EQ(fits[1], "FITS: 31.00 of 40.00 GiB on stage 1, 9.00 GiB to spare (out of memory: 12.5 %)");
  const auto fails = table_of(example_scenario(), not_fitting());
  EXPECT_EQ(fails[1], "DOES NOT FIT: 31.00 of 20.00 GiB on stage 1, 11.00 GiB too much (out of memory: 87.5 %)");
}

TEST(Table, SaysWhenThePlayedMemoryPeaks) {
  engine::Prediction prediction = fitting();
  EXPECT_EQ(line_with(table_of(example_scenario(), prediction), "played:"), "");
  // The worst stage is 1.
  prediction.memory_in_time = {{}, {1, Seconds{0.5}, Seconds{0.75}, "backward", 3, 0, 4_GiB, 5_GiB, 0.25}};
  EXPECT_EQ(line_with(table_of(example_scenario(), prediction), "played:"),
            "  played: at 500.0 ms, backward of micro batch 3; allocator reserves 5.00 (+25.0 %)");
}

TEST(Table, NamesSpeedAndItsConvention) {
  const auto lines = table_of(example_scenario(), fitting());
  EXPECT_TRUE(contains(line_with(lines, "Iteration"), "2.000 s")) << line_with(lines, "Iteration");
  EXPECT_TRUE(contains(line_with(lines, "Iteration"), "80 % between 1.500 s and 2.500 s; 4,096 tokens/s"));
  EXPECT_TRUE(contains(line_with(lines, "TFLOP/s"), "64.0 model, 96.0 hardware per GPU; MFU 50.0 %, HFU 75.0 %"));
  EXPECT_TRUE(contains(line_with(lines, "TFLOP/s"), "fp16 peak, 128"));
  EXPECT_NE(line_with(lines, "full attention counted"), "");
}

TEST(Table, ListsTimeTermsLargestFirstWithTheirShare) {
  engine::Prediction prediction = fitting();
  prediction.time = {{"small", Seconds{0.5}}, {"large", Seconds{1.5}}};
  const auto lines = table_of(example_scenario(), prediction);
  const auto at = [&](const std::string& part) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (contains(lines[i], part)) return i;
    }
    return lines.size();
  };
  ASSERT_LT(at("small"), lines.size());
  EXPECT_LT(at("large"), at("small"));
  EXPECT_TRUE(contains(lines[at("large")], "75.0 %"));
  // 40 columns stand for the whole iteration.
  EXPECT_TRUE(contains(lines[at("small")], " " + std::string(10, '#')));
  EXPECT_FALSE(contains(lines[at("small")], std::string(11, '#')));
}

TEST(Table, ShowsWorstFirstMiddleAndLastStageOnce) {
  model::Scenario scenario = example_scenario();
  scenario.model.num_layers = 5;
  scenario.parallelism.pipeline_model_parallel_size = 5;
  engine::Prediction prediction = fitting();
  prediction.memory.stages = {example_stage(0), example_stage(1), example_stage(2), example_stage(3), example_stage(4)};
  prediction.memory.worst_stage = 4;
  const auto lines = table_of(scenario, prediction);
  EXPECT_NE(line_with(lines, "worst (4)"), "");
  EXPECT_NE(line_with(lines, "first (0)"), "");
  EXPECT_NE(line_with(lines, "middle (2)"), "");
  EXPECT_EQ(line_with(lines, "last (4)"), "");
}

TEST(Table, CountsWhatItLeavesOut) {
  model::Scenario scenario = example_scenario();
  scenario.assumed.assign(80, {"key", "value", "reason"});
  const auto lines = table_of(scenario, fitting());
  std::size_t shown = 0;
  for (const std::string& line : lines) shown += contains(line, "key = value  (reason)") ? 1 : 0;
  EXPECT_GT(shown, 0U);
  EXPECT_TRUE(contains(lines.back(), "... and " + std::to_string(80 - shown) + " more")) << lines.back();
}

TEST(Table, SaysWhatWouldFit) {
  const auto lines = table_of(example_scenario(), not_fitting(), {example_change()});
  EXPECT_TRUE(contains(line_with(lines, "Biggest"), "optimizer 12.00 GiB, activations 7.00 GiB, parameters 4.00 GiB"));
  const std::string change = line_with(lines, "micro_batch_size 1 instead of 2");
  EXPECT_TRUE(contains(change, "31.00 GiB")) << change;
  EXPECT_TRUE(contains(change, "+25.0 %")) << change;
  EXPECT_NE(line_with(table_of(example_scenario(), not_fitting()), "No single change makes it fit."), "");
}

}  // namespace
}  // namespace shardsim::tests
