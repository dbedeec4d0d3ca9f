// Flag runs, the CSV of GPT-2 runs, and telling the forms apart.
#include <gtest/gtest.h>

#include "tests/validate/rows.hpp"

namespace shardsim::validate {
namespace {

constexpr const char* kFlagRow =
    R"({"id": "f1", "case": "gpt", "source": "NVIDIA/Megatron-LM@1", "mem_max_allocated_bytes_max": 5631605760.0,
"model_args": {"--bf16": true, "--global-batch-size": 128, "--hidden-size": 1024, "--micro-batch-size": 4,
"--num-attention-heads": 16, "--num-layers": 24, "--seq-length": 512, "--pipeline-model-parallel-size": 2}})";

constexpr const char* kCsv =
    "table,row,num_layers,hidden,heads,seq,tp,pp,num_layers_per_virtual_pipeline_stage_flag,cp,sp,dp,"
    "use_distributed_optimizer,mbs,gbs,recompute,step_ms,note,outcome,memory_gb\n"
    "t1,R1,48,1600,25,1024,2,4,6,1,1,1,1,2,16,full uniform 1,220,\"a, \"\"quoted\"\" note\",fits,34.92\n"
    "t1,R2,48,1600,25,1024,1,1,,2,0,4,0,1,4,,,--cp-comm-type a2a,oom,\n"
    "t1,R3,48,1600,25,1024,1,1,,1,0,4,0,1,4,,,,killed,\n";

std::string one_line(std::string text) {
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

std::vector<Record> read_all(const std::string& text, std::string* problems = nullptr) {
  Problems found;
  std::vector<Record> records = read_records(text, "runs", found);
  for (const Problem& problem : found.all()) {
    if (problems != nullptr) *problems += to_string(problem) + "\n";
  }
  EXPECT_TRUE(problems != nullptr || found.empty());
  return records;
}

TEST(FlagRow, HoldsFlagsAndMemoryOfTheLastRank) {
  const std::vector<Record> records = read_all(one_line(kFlagRow));
  ASSERT_EQ(records.size(), 1u);
  const Record& record = records.front();
  EXPECT_EQ(record.id, "f1");
  EXPECT_EQ(record.quality, "");
  EXPECT_EQ(value_of(record, "model.num_layers"), "24");
  EXPECT_EQ(value_of(record, "parallelism.pipeline_model_parallel_size"), "2");
  EXPECT_EQ(value_of(record, "training.precision"), "bf16");
  EXPECT_EQ(value_of(record, "cluster.preset"), "a100-dgx");
  EXPECT_EQ(record.memory, Bytes{5'631'605'760});
  EXPECT_EQ(record.memory_kind, MemoryKind::allocated_last);
  EXPECT_FALSE(record.iteration);
}

TEST(Gpt2Csv, ReadsColumnsByName) {
  const std::vector<Record> records = read_all(kCsv);
  ASSERT_EQ(records.size(), 3u);
  const Record& first = records[0];
  EXPECT_EQ(first.id, "t1 R1");
  EXPECT_EQ(value_of(first, "model.hidden_size"), "1600");
  EXPECT_EQ(value_of(first, "parallelism.num_layers_per_virtual_pipeline_stage"), "6");
  EXPECT_EQ(value_of(first, "parallelism.use_distributed_optimizer"), "true");
  EXPECT_EQ(value_of(first, "parallelism.sequence_parallel"), "true");
  EXPECT_EQ(value_of(first, "training.recompute.granularity"), "full");
  EXPECT_EQ(value_of(first, "training.recompute.method"), "uniform");
  EXPECT_EQ(value_of(first, "training.recompute.num_layers"), "1");
  EXPECT_NEAR(first.iteration->value(), 0.220, 1e-12);
  EXPECT_EQ(first.memory, Bytes{34'920'000'000});
  EXPECT_EQ(first.memory_kind, MemoryKind::device);
  EXPECT_EQ(first.outcome, Outcome::fits);
}

TEST(Gpt2Csv, EmptyFieldsAreNotGiven) {
  const Record record = read_all(kCsv)[1];
  EXPECT_EQ(value_of(record, "parallelism.num_layers_per_virtual_pipeline_stage"), "");
  EXPECT_EQ(value_of(record, "parallelism.cp_comm_type"), "a2a");
  EXPECT_FALSE(record.iteration);
  EXPECT_FALSE(record.memory);
  EXPECT_EQ(record.outcome, Outcome::out_of_memory);
}

TEST(Gpt2Csv, OtherOutcomesAreSkippedByName) { EXPECT_EQ(read_all(kCsv)[2].unmodelled, "outcome: killed"); }

TEST(Gpt2Csv, LinesMayEndAsOnWindows) {
  std::string text = kCsv;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.replace(at, 1, "\r\n");
  EXPECT_EQ(read_all(text)[0].memory, Bytes{34'920'000'000});
}

TEST(Gpt2Csv, WrongColumnsAndFieldsAreProblems) {
  std::string problems;
  read_all("table,row,x\na,b,c\n", &problems);
  EXPECT_EQ(problems, "runs:1: columns are missing: use_distributed_optimizer sp recompute note outcome step_ms\n");
  problems.clear();
  read_all(std::string{kCsv} + "t1,R4\n", &problems);
  EXPECT_EQ(problems, "runs:5: 2 fields where the header names 20\n");
  problems.clear();
  std::string text = kCsv;
  text.replace(text.find(",220,"), 5, ",22x,");
  read_all(text, &problems);
  EXPECT_EQ(problems, "runs:2: step_ms = 22x: a positive number is expected\n");
}

TEST(ReadRecords, TellsRowsApartByTheirKeys) {
  const std::vector<Record> records = read_all(gpt_row().dump() + "\n\n" + one_line(kFlagRow) + "\n");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].memory_kind, MemoryKind::allocated_worst);
  EXPECT_EQ(records[1].memory_kind, MemoryKind::allocated_last);
}

TEST(ReadRecords, MalformedLinesAreNamedByNumberAndTheOthersAreRead) {
  std::string problems;
  const std::vector<Record> records = read_all(gpt_row().dump() + "\n{\"id\": \n[1]\n{\"a\": 1}\n", &problems);
  EXPECT_EQ(records.size(), 1u);
  EXPECT_EQ(problems,
            "runs:2: not a JSON object; one measured run a line is expected\n"
            "runs:3: not a JSON object; one measured run a line is expected\n"
            "runs:4: neither a published run (model, hardware, parallel, batch, measured) nor a flag run "
            "(model_args)\n");
}

TEST(ReadRecords, StopsAfterManyMalformedLines) {
  std::string text;
  for (int line = 0; line < 1000; ++line) text += "no JSON\n";
  Problems problems;
  EXPECT_TRUE(read_records(text, "runs", problems).empty());
  EXPECT_EQ(problems.all().size(), 20u);
}

}  // namespace
}  // namespace shardsim::validate
