#include "calibrate/samples/nccl_log.hpp"

#include <gtest/gtest.h>

namespace shardsim::calibrate {
namespace {

constexpr const char* kLog = R"(# nThread 1 nGpus 1 minBytes 8388608 maxBytes 16777216 step: 2(factor) warmup iters: 5 iters: 20
#
# Using devices
#  Rank  0 Group  0 Pid  101 on     node1 device  0 [0x07] NVIDIA A100-SXM4-80GB
#  Rank  1 Group  0 Pid  102 on     node1 device  1 [0x0f] NVIDIA A100-SXM4-80GB
#  Rank  2 Group  0 Pid  103 on     node2 device  0 [0x07] NVIDIA A100-SXM4-80GB
#  Rank  3 Group  0 Pid  104 on     node2 device  1 [0x0f] NVIDIA A100-SXM4-80GB
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     8388608       2097152     float     sum      -1    419.4   20.00   30.00      0    410.0   20.46   30.69      0
    16777216       4194304     float     sum      -1    699.1   24.00   36.00      0    690.0   24.31   36.47      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 33.3
)";

std::string problems_of(const std::string& text) {
  Problems problems;
  (void)parse_nccl_log(text, "all.log", problems);
  std::string all;
  for (const Problem& problem : problems.all()) all += to_string(problem) + "\n";
  return all;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

void expect_rows(const std::vector<CollectiveSample>& samples) {
  ASSERT_EQ(samples.size(), 2U);
  // Bus over algorithm bandwidth is 1.5 = 2·3/4: an all-reduce of four.
  EXPECT_EQ(samples[0].collective, "all_reduce");
  EXPECT_EQ(samples[0].ranks, 4);
  EXPECT_EQ(samples[0].nodes, 2);
  EXPECT_EQ(samples[1].bytes.value(), 16777216);
  EXPECT_DOUBLE_EQ(samples[1].time.value(), 699.1e-6);
}

TEST(NcclLog, RowsRanksAndNodes) {
  Problems problems;
  expect_rows(parse_nccl_log(kLog, "all.log", problems));
  EXPECT_TRUE(problems.empty());
}

TEST(NcclLog, PrefixesOfMpirun) {
  Problems problems;
  expect_rows(parse_nccl_log("[1,0]<stdout>:" + replaced(kLog, "\n", "\n[1,0]<stdout>:"), "all.log", problems));
  EXPECT_TRUE(problems.empty());
}

TEST(NcclLog, TheNamedCollectiveCounts) {
  Problems problems;
  const std::string text = "$ mpirun -np 4 ./all_gather_perf -b 8M -e 16M\n" + replaced(kLog, " sum", "none");
  EXPECT_EQ(parse_nccl_log(text, "all.log", problems).at(0).collective, "all_gather");
  EXPECT_TRUE(problems.empty());
}

TEST(NcclLog, OtherAndDamagedLogsAreRefused) {
  const std::string log = kLog;
  EXPECT_NE(problems_of("iteration 1/10 | elapsed time 3.2\n").find("is no log of nccl-tests"), std::string::npos);
  EXPECT_NE(problems_of(log.substr(0, log.find("     8388608"))).find("ends before its first row"), std::string::npos);
  EXPECT_NE(problems_of(replaced(log, "Rank ", "Lane ")).find("does not list its ranks"), std::string::npos);
  EXPECT_NE(problems_of(replaced(log, "36.00      0", "36.00      7")).find("wrong results"), std::string::npos);
  EXPECT_NE(problems_of(replaced(log, "699.1", "-0.1")).find("all.log:13"), std::string::npos);
}

TEST(GemmCsv, NeedsFourColumns) {
  Problems problems;
  const auto samples = parse_gemm_csv("m,k,n,time_us\n1024,4096,2048,250\n", "gemm.csv", problems);
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].n, 2048);
  EXPECT_EQ(samples[0].dtype, "bf16");
  EXPECT_EQ(samples[0].layout, "TN");
  EXPECT_DOUBLE_EQ(samples[0].time.value(), 250e-6);
  EXPECT_TRUE(problems.empty());
  (void)parse_gemm_csv("m,n,k,gflops\n1,2,3,4\n", "gemm.csv", problems);
  (void)parse_gemm_csv("m,n,k,time_us\n-1,2,3,4\n1,2,3,0\n", "gemm.csv", problems);
  ASSERT_EQ(problems.all().size(), 3U);
  EXPECT_EQ(problems.all()[0].key, "time_us");
  EXPECT_EQ(problems.all()[1].key, "m");
  EXPECT_EQ(problems.all()[2].value, "0");
}

}  // namespace
}  // namespace shardsim::calibrate
