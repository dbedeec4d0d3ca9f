// `shardsim validate` as a user calls it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"
#include "tests/validate/rows.hpp"
#include "validate/write_file.hpp"

namespace shardsim::validate {
namespace {

namespace fs = std::filesystem;
using test::Outcome;

/// A folder for one test's files.
class Validate : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "shardsim-validate-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  std::string file(const std::string& name, const std::string& text) const {
    test::write_file(path(name), text);
    return path(name);
  }
  /// Four rows: quality A, suspect A, quality B of another source, expert parallelism.
  std::string rows() const {
    Json suspect = with(with(gpt_row(), "/id", "r2"), "/suspect", "composed");
    Json other = with(with(with(gpt_row(), "/id", "r3"), "/quality", "B"), "/source", "blog");
    Json experts = with(with(gpt_row(), "/id", "r4"), "/parallel/ep", 8);
    return file("rows.jsonl", gpt_row().dump() + "\n" + suspect.dump() + "\n" + other.dump() + "\n" + experts.dump());
  }
  static Json json_of(const std::string& arguments) {
    const Outcome outcome = test::run_shardsim("validate " + arguments + " --format json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
  static void expect_refused(const std::string& arguments, const std::string& message) {
    const Outcome outcome = test::run_shardsim("validate " + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err << "does not hold " << message;
  }

 private:
  fs::path folder_;
};

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

using Names = std::vector<std::string>;

TEST_F(Validate, JsonHoldsExactlyTheseKeys) {
  const Json json = json_of(rows());
  EXPECT_EQ(keys(json), (Names{"by_source", "fit", "fitted_constants", "fitted_constants_by_kind", "memory", "rows",
                               "scored", "skipped", "suspect", "time"}));
  EXPECT_EQ(keys(json["time"]),
            (Names{"after_one_scale", "bias", "interval_coverage", "mape", "max", "median", "n", "p90"}));
  EXPECT_EQ(keys(json["time"]["after_one_scale"]), (Names{"median", "n", "p90"}));
  EXPECT_EQ(keys(json["memory"]), (Names{"bias", "interval_coverage", "mape", "max", "median", "n", "p90"}));
  EXPECT_EQ(keys(json["fit"]), (Names{"balanced_accuracy", "false_fit", "false_oom", "true_fit", "true_oom"}));
  EXPECT_EQ(keys(json["by_source"][0]), (Names{"fit", "memory", "scored", "source", "time"}));
  EXPECT_EQ(keys(json["suspect"]), (Names{"by_source", "fit", "memory", "scored", "time"}));
  EXPECT_EQ(json["skipped"], Json::parse(R"([{"reason": "expert parallelism", "count": 1}])"));
  EXPECT_EQ(json["rows"], 4);
  EXPECT_EQ(json["scored"], 2);
  EXPECT_EQ(json["suspect"]["scored"], 1);
  EXPECT_EQ(json["by_source"][1]["source"], "paper");
}

TEST_F(Validate, QualityKeepsRowsWithoutOne) {
  Json without = gpt_row();
  without.erase("quality");
  const std::string more = file("more.jsonl", without.dump());
  EXPECT_EQ(json_of(rows() + " " + more)["scored"], 3);
  EXPECT_EQ(json_of(rows() + " " + more + " --quality A")["scored"], 2);
  EXPECT_EQ(json_of(rows() + " --quality B")["rows"], 1);
  EXPECT_EQ(json_of(rows() + " --quality AB")["rows"], 4);
}

TEST_F(Validate, SourceIsARegularExpression) {
  EXPECT_EQ(json_of(rows() + " --source '^bl'")["rows"], 1);
  EXPECT_EQ(json_of(rows() + " --source 'blog|paper'")["rows"], 4);
  EXPECT_EQ(json_of(rows() + " --source nobody")["rows"], 0);
}

TEST_F(Validate, SuspectRowsCanCountWithTheOthers) {
  const Json json = json_of(rows() + " --include-suspect");
  EXPECT_EQ(json["scored"], 3);
  EXPECT_EQ(json["suspect"]["scored"], 0);
}

TEST_F(Validate, SetChangesThePrediction) {
  const double before = json_of(rows())["time"]["bias"];
  const double after = json_of(rows() + " --set device.gemm.fp16.peak='100 TFLOP/s'")["time"]["bias"];
  EXPECT_GT(after, before + 0.5);
}

TEST_F(Validate, TableNamesSourcesSkippedRowsAndConstants) {
  const Outcome outcome = test::run_shardsim("validate " + rows());
  EXPECT_EQ(outcome.code, 0);
  for (const char* part : {"\nblog ", "\npaper ", "\nall ", "\nmedian source ", "suspect rows, scored apart",
                           "4 rows, 2 scored", "     1  expert parallelism", "fitted constants: "}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  }
}

TEST_F(Validate, RowsAreWrittenOneALine) {
  const std::string csv = path("rows.csv");
  EXPECT_EQ(test::run_shardsim("validate " + rows() + " --rows " + csv).code, 0);
  const std::string text = test::read_source(csv);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_EQ(text.rfind("id,source,where,quality,suspect,skipped,measured_s,predicted_s,time_error,measured_bytes,"
                       "predicted_bytes,memory_error,outcome,predicted_outcome\n",
                       0),
            0u);
  EXPECT_NE(text.find("\"r1\",\"paper\",\"table 1\",\"A\",\"\",\"\",2.5,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"r4\",\"paper\",\"table 1\",\"A\",\"\",\"expert parallelism\",,,,,,,,\n"), std::string::npos);
}

TEST_F(Validate, RowsThatCannotBeWrittenLeaveNothing) {
  expect_refused(rows() + " --rows " + path("none/rows.csv"), "none/rows.csv: cannot be written: No such file");
  EXPECT_FALSE(fs::exists(path("none")));
  expect_refused(rows() + " --rows " + path(""), "cannot be written");
  EXPECT_EQ(std::distance(fs::directory_iterator(path("")), fs::directory_iterator{}), 1);
}

TEST_F(Validate, AFileIsReplacedAsAWhole) {
  const std::string target = file("target", "old");
  write_file(target, "new");
  EXPECT_EQ(test::read_source(target), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(path("")), fs::directory_iterator{}), 1);
}

TEST_F(Validate, FilesThatAreNone) {
  expect_refused("", "no file of measured runs is given");
  expect_refused(path("missing.jsonl"), "missing.jsonl: cannot be read");
  expect_refused(path(""), "is a folder");
  expect_refused(file("empty.jsonl", " \n"), "empty.jsonl: is empty");
  expect_refused(file("binary.jsonl", std::string("a\0b", 3)), "binary.jsonl: is a binary file");
  expect_refused(file("text.jsonl", gpt_row().dump() + "\nhello\n"), "text.jsonl:2: not a JSON object");
  expect_refused(file("other.csv", "a,b\n1,2\n"), "other.csv:1: not a JSON object");
  expect_refused(file("runs.csv", "table,row,x\n1,2,3\n"), "runs.csv:1: columns are missing");
}

TEST_F(Validate, AllBadFilesAreNamedAtOnce) {
  const Outcome outcome = test::run_shardsim("validate " + path("missing.jsonl") + " " + file("text.jsonl", "hello\n"));
  EXPECT_NE(outcome.err.find("missing.jsonl"), std::string::npos);
  EXPECT_NE(outcome.err.find("text.jsonl:1"), std::string::npos);
}

TEST_F(Validate, MalformedOptions) {
  expect_refused(rows() + " --qualty A", "unknown option --qualty (did you mean --quality?)");
  expect_refused(rows() + " --quality X", "letters of A, B, C expected");
  expect_refused(rows() + " --source '('", "no regular expression");
  expect_refused(rows() + " --format xml", "table or json is expected");
  expect_refused(rows() + " --engine fast", "closed_form or event is expected");
  expect_refused(rows() + " --set x", "expected section.key=value");
  expect_refused(rows() + " --set stack.host.per_lanch=1us", "did you mean stack.host.per_launch?");
  expect_refused(rows() + " --set model.num_layers=many", "is expected");
  expect_refused(rows() + " --record .", "--record takes all of validate/published");
  expect_refused("--record " + path(""), "holds no measured runs");
  expect_refused(rows() + " --accept-worse", "belongs to --record");
}

/// A small repository of one row: recorded, read again, and not overwritten by something worse.
TEST_F(Validate, RecordOnlyGetsBetter) {
  fs::create_directories(path("validate/published"));
  const std::string runs = file("validate/published/runs.jsonl", gpt_row().dump());
  file("README.md", "<!-- accuracy table -->\n<!-- end of accuracy table -->\n");
  const std::string command = "validate --record " + path("");
  EXPECT_EQ(test::run_shardsim(command).code, 0);
  const std::string record = test::read_source(path("validate/recorded_accuracy.json"));
  EXPECT_NE(test::read_source(path("README.md")).find("| paper | 1 |"), std::string::npos);
  EXPECT_NE(test::read_source(path("validate/accuracy.svg")).find("</svg>"), std::string::npos);

  test::write_file(runs, with(gpt_row(), "/measured/iteration_s", 0.1).dump());
  const Outcome worse = test::run_shardsim(command);
  EXPECT_EQ(worse.code, 1);
  EXPECT_NE(worse.out.find("worse than recorded: quality A, paper: time median: "), std::string::npos) << worse.out;
  EXPECT_EQ(test::read_source(path("validate/recorded_accuracy.json")), record);

  EXPECT_EQ(test::run_shardsim(command + " --accept-worse").code, 0);
  EXPECT_NE(test::read_source(path("validate/recorded_accuracy.json")), record);
}

TEST_F(Validate, PublishedRunsTakeSeconds) {
  const Outcome outcome = test::run_shardsim("validate validate/published/published_runs.jsonl");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("2509 rows"), std::string::npos);
}

}  // namespace
}  // namespace shardsim::validate
