// All published runs are predicted as well as recorded.
#include <gtest/gtest.h>

#include "tests/support/files.hpp"
#include "validate/accuracy_files.hpp"
#include "validate/accuracy_record.hpp"
#include "validate/accuracy_table.hpp"

namespace shardsim::validate {
namespace {

AccuracyRecord recorded() { return read_accuracy_record(test::read_source(kRecordFile), kRecordFile); }

TEST(Fidelity, PublishedRunsArePredictedAsWellAsRecorded) {
  const std::vector<Result> results = evaluate_published(SHARDSIM_SOURCE_DIR);
  const AccuracyRecord now = accuracy_of(results);
  for (const std::string& line : worse_than_recorded(recorded(), now)) {
    ADD_FAILURE() << line << "; if that is meant: ./run validate --record . --accept-worse";
  }
  // Nor may the record lack sources or rows that the files hold.
  EXPECT_EQ(worse_than_recorded(now, recorded(), 1e9), std::vector<std::string>{});

  // What is skipped cannot be wrong: at most one row in twenty.
  std::size_t rows = 0;
  std::size_t scored = 0;
  for (const Result& result : results) {
    if (result.quality != "A") continue;
    ++rows;
    if (result.skipped.empty()) ++scored;
  }
  EXPECT_GE(static_cast<double>(scored), 0.95 * static_cast<double>(rows));
}

TEST(Fidelity, TheReadmeShowsWhatIsRecorded) {
  const std::string readme = test::read_source(kReadmeFile);
  EXPECT_TRUE(with_accuracy_table(readme, kReadmeFile, recorded()) == readme)
      << "./run validate --record . writes the table anew";
}

}  // namespace
}  // namespace shardsim::validate
