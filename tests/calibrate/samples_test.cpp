#include "calibrate/samples/samples.hpp"

#include <gtest/gtest.h>

#include "calibrate/samples/csv.hpp"

namespace shardsim::calibrate {
namespace {

constexpr const char* kGemmHeader = "gpu,dtype,m,n,k,layout,batch,time_us,tflops,software,source\n";

std::vector<std::string> messages(const Problems& problems) {
  std::vector<std::string> texts;
  for (const Problem& problem : problems.all()) texts.push_back(to_string(problem));
  return texts;
}

TEST(Csv, QuotationMarksHoldCommasLineEndsAndThemselves) {
  Problems problems;
  const CsvTable table = parse_csv("a,b\r\n\"1,\n2\",\"say \"\"x\"\"\"\n\n3,\n", "t.csv", problems);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].fields, (std::vector<std::string>{"1,\n2", "say \"x\""}));
  EXPECT_EQ(table.rows[1].fields, (std::vector<std::string>{"3", ""}));
  EXPECT_EQ(table.rows[0].line, 2);
  EXPECT_EQ(table.rows[1].line, 5);  // after the two-line field and the blank line
  EXPECT_TRUE(problems.empty());
}

TEST(Csv, RowsOfAnotherLengthAreProblems) {
  Problems problems;
  EXPECT_TRUE(parse_csv("a,b\n1,2,3\n", "t.csv", problems).rows.empty());
  EXPECT_EQ(messages(problems), (std::vector<std::string>{"t.csv:2: 3 fields, but the header names 2"}));
}

TEST(Csv, AFileThatIsNotThere) {
  Problems problems;
  (void)read_csv("/nowhere/t.csv.gz", problems);
  EXPECT_EQ(messages(problems), (std::vector<std::string>{"/nowhere/t.csv.gz: cannot be read"}));
}

TEST(Samples, AProduct) {
  Problems problems;
  const auto samples = parse_gemm(std::string(kGemmHeader) + "A100,bf16,512,1024,256,TN,1,12.5,,torch,github:a/b@1 c\n",
                                  "gemm.csv", problems);
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].m, 512);
  EXPECT_EQ(samples[0].k, 256);
  EXPECT_DOUBLE_EQ(samples[0].time.value(), 12.5e-6);
  EXPECT_EQ(samples[0].source, "github:a/b@1");
  EXPECT_EQ(samples[0].origin.line, 2);
  EXPECT_TRUE(problems.empty());
}

TEST(Samples, MalformedRowsNameFileLineColumnAndValue) {
  Problems problems;
  const std::string rows =
      "A100,bf16,512,1024,256,TN,1,fast,,torch,s\n"
      "A100,bf16,-8,1024,256,TN,1,12.5,,torch,s\n"
      "A100,bf16,8.5,1024,256,TN,1,12.5,,torch,s\n"
      "A100,bf16,512,1024,256,TN,1,,,torch,s\n";  // no time: left out, no problem
  EXPECT_TRUE(parse_gemm(kGemmHeader + rows, "gemm.csv", problems).empty());
  const auto texts = messages(problems);
  ASSERT_EQ(texts.size(), 3U);
  EXPECT_EQ(texts[0], "gemm.csv:2: time_us = fast: must be a number above 0");
  EXPECT_EQ(texts[1], "gemm.csv:3: m = -8: must be a number above 0");
  EXPECT_EQ(texts[2], "gemm.csv:4: m = 8.5: must be a whole number");
}

TEST(Samples, AMissingColumn) {
  Problems problems;
  EXPECT_TRUE(parse_memory("gpu,kernel,time_us,source\nA100,add,3,s\n", "memory.csv", problems).empty());
  EXPECT_EQ(messages(problems), (std::vector<std::string>{"memory.csv:1: GBps: the table has no such column"}));
}

// 4·1024·1024·64·2 = 537 MFLOP; causal half of it; with the backward 3.5 times.
TEST(Samples, AttentionWork) {
  AttentionSample sample;
  sample.m = sample.n = 1024;
  sample.k = 64;
  sample.batch = 2;
  EXPECT_DOUBLE_EQ(sample.work().value(), 536870912.0);
  sample.causal = true;
  EXPECT_DOUBLE_EQ(sample.work().value(), 268435456.0);
  sample.pass = AttentionPass::both;
  EXPECT_DOUBLE_EQ(sample.work().value(), 3.5 * 268435456.0);
}

// Rates count what their source counts: half the square under a causal mask, but SimuMax's rows all of it.
TEST(Samples, AttentionTimeFromItsRate) {
  Problems problems;
  const std::string header = kGemmHeader;
  const auto time = [&](const std::string& row) {
    return parse_attention(header + row, "attention.csv", problems).at(0).time.value();
  };
  EXPECT_DOUBLE_EQ(time("A100,fp16,1024,1024,64,flash2 fwd causal,2,,100,FA2,s\n"), 268435456.0 / 100e12);
  EXPECT_DOUBLE_EQ(time("A100,fp16,1024,1024,64,flash2 fwd noncausal,2,,100,FA2,s\n"), 536870912.0 / 100e12);
  EXPECT_DOUBLE_EQ(time("A100,fp16,1024,1024,64,attn_fwd (x),2,,100,SimuMax,s\n"), 536870912.0 / 100e12);
  EXPECT_DOUBLE_EQ(time("A100,fp16,1024,1024,64,attn_bwd (x),2,,100,SimuMax,s\n"), 2.5 * 536870912.0 / 100e12);
}

}  // namespace
}  // namespace shardsim::calibrate
