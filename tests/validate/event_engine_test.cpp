// The event engine on the public record: as good as the closed form, and measured schedules in their order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "tests/support/files.hpp"
#include "validate/evaluate.hpp"
#include "validate/selection.hpp"
#include "validate/statistics.hpp"

namespace shardsim::validate {
namespace {

std::vector<Record> of_quality_a(const std::string& source) {
  Options options;
  options.quality = "A";
  options.source = std::regex{source};
  return select(read_files({SHARDSIM_SOURCE_DIR "/validate/published/published_runs.jsonl"}), options);
}

/// Of time, by source and quality; suspect rows apart.
std::map<std::string, ErrorStatistics> errors(const std::vector<Record>& records, Engine engine) {
  std::map<std::string, std::vector<Pair>> pairs;
  for (const Result& result : evaluate(records, engine)) {
    if (!result.time) continue;
    pairs[result.source + " " + result.quality + (result.suspect.empty() ? "" : ", suspect")].push_back(*result.time);
  }
  std::map<std::string, ErrorStatistics> statistics;
  for (const auto& [group, list] : pairs) statistics[group] = error_statistics(list);
  return statistics;
}

/// A tenth of a point for rounding; a quarter for torchtitan, where the engine is 0.2 % faster throughout and the median
/// of 21 rows is one row.
double allowed(const std::string& group) {
  return std::regex_search(group, std::regex{"torchtitan.* A$"}) ? 0.0025 : 0.001;
}

TEST(EventEngine, IsAsAccurateAsTheClosedFormOnEverySource) {
  const std::string folder = SHARDSIM_SOURCE_DIR "/validate/published/";
  const std::vector<Record> records = read_files({folder + "published_runs.jsonl", folder + "published_runs_oom.jsonl",
                                                  folder + "megatron_flag_runs.jsonl", folder + "gpt2_h100_runs.csv"});
  const auto closed = errors(records, Engine::closed_form);
  const auto played = errors(records, Engine::event);
  ASSERT_GE(closed.size(), 30U);
  ASSERT_EQ(played.size(), closed.size());
  for (const auto& [group, error] : closed) {
    EXPECT_EQ(played.at(group).n, error.n) << group;
    EXPECT_LE(played.at(group).mape, error.mape + allowed(group)) << group << ", mean";
    EXPECT_LE(played.at(group).median, error.median + allowed(group)) << group << ", median";
  }
}

// Qi et al. 2023, Table 4, 8 GPUs: of each model and number of micro batches, 1F1B is slowest, ZB-2p fastest, and the
// two between in the measured order where they differ by more than 2 %.
TEST(EventEngine, OrdersTheMeasuredZeroBubbleRuns) {
  struct Times {
    double measured = 0.0;
    double predicted = 0.0;
  };
  std::map<std::string, std::map<std::string, Times>> groups;
  const std::vector<Record> records = of_quality_a("Zero Bubble.*2401.10241.*");
  for (const Record& record : records) {
    const Result result = evaluate(record, Engine::event);
    if (!result.time) continue;
    const auto value = [&record](const char* key) { return record.settings.find(key)->value; };
    groups[value("model.num_layers") + " " + value("training.global_batch_size")][value("parallelism.schedule")] = {
        result.time->measured, result.time->predicted};
  }
  ASSERT_GE(groups.size(), 6U);
  for (const auto& [name, group] : groups) {
    const Times& plain = group.at("one_f_one_b");
    const Times& interleaved = group.at("interleaved_one_f_one_b");
    const Times& once = group.at("zero_bubble_1p");
    const Times& twice = group.at("zero_bubble_2p");
    EXPECT_GT(plain.predicted, std::max(interleaved.predicted, once.predicted)) << name;
    EXPECT_LT(twice.predicted, std::min(interleaved.predicted, once.predicted)) << name;
    if (std::abs(interleaved.measured / once.measured - 1.0) > 0.02) {
      EXPECT_EQ(interleaved.predicted < once.predicted, interleaved.measured < once.measured) << name;
    }
  }
}

}  // namespace
}  // namespace shardsim::validate
