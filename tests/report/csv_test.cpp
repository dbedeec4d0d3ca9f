#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "tests/report/example.hpp"

namespace shardsim::tests {
namespace {

/// Splits a line at the commas outside quotes.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> result(1);
  bool inside = false;
  for (const char c : line) {
    if (c == '"') inside = !inside;
    if (c == ',' && !inside) {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

struct Csv {
  std::vector<std::string> names;
  std::vector<std::string> values;
  std::size_t lines = 0;
  [[nodiscard]] std::string value(const std::string& name) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return values[i];
    }
    return "missing";
  }
};

Csv csv_of(const model::Scenario& scenario, const engine::Prediction& prediction) {
  std::stringstream text;
  report::write_csv(text, scenario, prediction, {});
  Csv csv;
  std::string line;
  while (std::getline(text, line)) {
    (csv.lines == 0 ? csv.names : csv.values) = fields(line);
    ++csv.lines;
  }
  return csv;
}

TEST(Csv, IsOneHeaderAndOneRowOfTheSameLength) {
  const Csv csv = csv_of(example_scenario(), fitting());
  EXPECT_EQ(csv.lines, 2U);
  EXPECT_EQ(csv.names.size(), csv.values.size());
}

TEST(Csv, HoldsTheScalarValuesUnrounded) {
  engine::Prediction prediction = fitting();
  prediction.mfu = 1.0 / 3.0;
  const Csv csv = csv_of(example_scenario(), prediction);
  EXPECT_EQ(csv.value("iteration_s"), "2");
  EXPECT_EQ(std::stod(csv.value("mfu")), 1.0 / 3.0);
  EXPECT_EQ(csv.value("gpus"), "16");
  EXPECT_EQ(csv.value("fits"), "true");
  EXPECT_EQ(csv.value("device_used_bytes"), std::to_string(std::int64_t{31} << 30));
  EXPECT_EQ(csv.value("peak_format"), "fp16");
}

TEST(Csv, QuotesNamesAndLeavesWhatIsNotFiniteEmpty) {
  model::Scenario scenario = example_scenario();
  scenario.name = "a \"b\", c";
  engine::Prediction prediction = fitting();
  prediction.hfu = std::numeric_limits<double>::infinity();
  const Csv csv = csv_of(scenario, prediction);
  EXPECT_EQ(csv.value("name"), "\"a \"\"b\"\", c\"");
  EXPECT_EQ(csv.value("hfu"), "");
}

}  // namespace
}  // namespace shardsim::tests
