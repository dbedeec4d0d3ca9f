// All rows of the record of Megatron-LM's functional tests.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sim/input/resolve.hpp"
#include "support.hpp"

namespace shardsim::input {
namespace {

std::vector<std::string> rows() {
  std::vector<std::string> lines;
  std::istringstream text(source_file("validate/published/megatron_flag_runs.jsonl"));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// A number, text or switch as its setting would hold it.
std::string text_of(const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

TEST(RunRows, AllReadWithoutProblems) {
  const std::vector<std::string> lines = rows();
  ASSERT_EQ(lines.size(), 308U);
  for (const std::string& line : lines) EXPECT_EQ(read(line).problem_text(), "") << line;
}

TEST(RunRows, NumbersArriveAsWritten) {
  for (const std::string& line : rows()) {
    const nlohmann::json arguments = nlohmann::json::parse(line).at("model_args");
    const Reading reading = read(line);
    EXPECT_EQ(reading.value("model.num_layers"), text_of(arguments.at("--num-layers")));
    EXPECT_EQ(reading.value("model.hidden_size"), text_of(arguments.at("--hidden-size")));
    EXPECT_EQ(reading.value("parallelism.tensor_model_parallel_size"),
              text_of(arguments.at("--tensor-model-parallel-size")));
    EXPECT_EQ(reading.value("parallelism.sequence_parallel"),
              arguments.contains("--sequence-parallel") ? "true" : "(none)");
    EXPECT_EQ(reading.value("training.precision"), arguments.contains("--bf16") ? "bf16" : "fp16");
  }
}

TEST(RunRows, MissingVocabularyIsTheTestsOwn) {
  for (const std::string& line : rows()) {
    const nlohmann::json row = nlohmann::json::parse(line);
    const bool given = row.at("model_args").contains("--vocab-size");
    const bool large = row.at("case").get<std::string>().find("gpt3_15b") == 0;
    const std::string expected = given                        ? text_of(row.at("model_args").at("--vocab-size"))
                                 : row.at("family") == "bert" ? "29056"
                                 : large                      ? "256000"
                                                              : "50257";
    EXPECT_EQ(read(line).value("model.vocab_size"), expected) << row.at("id");
  }
}

TEST(RunRows, AtLeast300ResolveAndTheOthersSayWhyInOneLine) {
  int resolved = 0;
  for (const std::string& line : rows()) {
    Reading reading = read(line);
    reading.settings.set({"cluster.preset", "a100-dgx", {}, "test machines"});
    try {
      static_cast<void>(resolve(reading.settings));
      ++resolved;
    } catch (const InputError& error) {
      const std::string reason = error.what();
      EXPECT_FALSE(reason.empty());
      EXPECT_EQ(reason.find('\n'), std::string::npos) << reason;
    }
  }
  EXPECT_GE(resolved, 300);
}

TEST(RunRows, OfSeveralRowsTheFirstIsRead) {
  const Reading reading = read(source_file("validate/published/megatron_flag_runs.jsonl"));
  EXPECT_EQ(reading.value("name"), "bert_mcore_tp1_pp2");
  EXPECT_TRUE(reading.warns_of("several rows: the first is read"));
}

}  // namespace
}  // namespace shardsim::input
