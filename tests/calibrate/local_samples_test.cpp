#include "calibrate/measure/local_samples.hpp"

#include <gtest/gtest.h>

namespace shardsim::calibrate {
namespace {

Machine machine() {
  Machine machine;
  machine.host = "node, one";
  machine.processor = "Some CPU @ 2.4 GHz";
  machine.ranks = 4;
  machine.ranks_per_node = 2;
  machine.memory = Bytes{std::int64_t{16} << 30};
  machine.resident = Bytes{1 << 24};
  machine.date = "2026-12-01";
  machine.versions = "shardsim 0.1.0";
  return machine;
}

LocalSample sample() {
  return {{Family::collective, "all_reduce", 0, 0, 0, 1, 4, 2, Bytes{4096}, Flops{0.0}},
          {Seconds{12.5e-6}, Seconds{11e-6}, Seconds{20e-6}, 40},
          {}};
}

std::string problems_of(const std::string& text) {
  Problems problems;
  (void)parse_local_samples(text, "samples.csv", problems);
  std::string all;
  for (const Problem& problem : problems.all()) all += to_string(problem) + "\n";
  return all;
}

TEST(LocalSamples, ReadsWhatItWrites) {
  Problems problems;
  const LocalSamples read =
      parse_local_samples(table_head(machine()) + table_line(sample()), "samples.csv", problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(read.machine.host, "node, one");
  EXPECT_EQ(read.machine.processor, machine().processor);
  EXPECT_EQ(read.machine.ranks, 4);
  EXPECT_EQ(read.machine.ranks_per_node, 2);
  EXPECT_EQ(read.machine.memory, machine().memory);
  EXPECT_EQ(read.machine.resident, machine().resident);
  EXPECT_EQ(read.machine.versions, machine().versions);
  ASSERT_EQ(read.samples.size(), 1U);
  const LocalSample* found = read.find(sample().subject);
  ASSERT_NE(found, nullptr);
  EXPECT_DOUBLE_EQ(found->timing.median.value(), 12.5e-6);
  EXPECT_EQ(found->timing.samples, 40);
  Subject other = sample().subject;
  other.bytes = Bytes{8192};
  EXPECT_EQ(read.find(other), nullptr);
}

TEST(LocalSamples, AnUnfinishedLastLineIsPassedOver) {
  const std::string line = table_line(sample());
  Problems problems;
  const std::string text = table_head(machine()) + line + line.substr(0, 20);
  EXPECT_EQ(parse_local_samples(text, "samples.csv", problems).samples.size(), 1U);
  EXPECT_TRUE(problems.empty());
}

TEST(LocalSamples, OtherFilesAreRefused) {
  EXPECT_NE(problems_of("gpu,dtype,m,n,k\nH100,bf16,1,2,3\n").find("is no table of `shardsim calibrate`"),
            std::string::npos);
  EXPECT_NE(problems_of("# shardsim calibrate\nfamily,name\n").find("other columns"), std::string::npos);
}

TEST(LocalSamples, ImpossibleValuesAreNamedWithTheirLine) {
  std::string line = table_line(sample());
  const std::string times = "12.500,11.000,20.000";
  const auto with = [&](const std::string& other) {
    std::string changed = line;
    changed.replace(changed.find(times), times.size(), other);
    return problems_of(table_head(machine()) + changed);
  };
  EXPECT_EQ(with(times), "");
  // Nine lines of head and one of columns before it.
  EXPECT_NE(with("-3,11.000,20.000").find("samples.csv:11"), std::string::npos) << with("-3,11.000,20.000");
  EXPECT_NE(with("0,0,0").find("must be more than 0"), std::string::npos);
  EXPECT_NE(with("nan,11.000,20.000").find("median_us"), std::string::npos);
  EXPECT_NE(with("12.5,13,20").find("must lie between"), std::string::npos);
  EXPECT_NE(problems_of(table_head(machine()) + "guess" + line.substr(line.find(','))).find("kind of measurement"),
            std::string::npos);
}

}  // namespace
}  // namespace shardsim::calibrate
