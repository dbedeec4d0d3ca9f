// Inputs that cannot be read: each is a problem that says where and what.
#include <gtest/gtest.h>

#include <string>

#include "support.hpp"

namespace shardsim::input {
namespace {

struct Bad {
  const char* name;
  std::string text;
  const char* message;
};

class BadInput : public testing::TestWithParam<Bad> {};

TEST_P(BadInput, IsAProblemThatSaysWhat) {
  const Reading reading = read(GetParam().text);
  ASSERT_FALSE(reading.problems.empty());
  EXPECT_NE(reading.problem_text().find(GetParam().message), std::string::npos) << reading.problem_text();
}

INSTANTIATE_TEST_SUITE_P(
    Texts, BadInput,
    testing::Values(
        Bad{"Empty", "", "the file is empty"}, Bad{"BlankLines", " \n\t\n", "the file is empty"},
        Bad{"Binary", std::string("\x7f\x45LF\0\1\2", 7), "binary data"},
        Bad{"NoFlags", "just some words\nof text\n", "no Megatron-LM flags found"},
        Bad{"OnlyComments", "# --num-layers 24\n", "no Megatron-LM flags found"},
        Bad{"BrokenJson", "{\"--num-layers\": 24,", "not readable as JSON"},
        Bad{"JsonList", "[{\"a\": 1", "not readable as JSON"},
        Bad{"BrokenYaml", "--num-layers: [24\n--hidden-size: 1\n", "launch.sh:"},
        Bad{"OpenQuote", "ARGS=\"--num-layers 24\npython pretrain_gpt.py $ARGS\n",
            "launch.sh:1: a quote or bracket opened on this line never closes"},
        Bad{"UnresolvedVariable", "python pretrain_gpt.py \\\n  --num-layers $NUM_LAYERS --lr $LR\n",
            "launch.sh:2: --num-layers (model.num_layers) = $NUM_LAYERS: $NUM_LAYERS has no value in this text"},
        Bad{"UnresolvedInsideArithmetic",
            "MBS=$1\nGBS=$((MBS * NODES))\npython pretrain_gpt.py --global-batch-size $GBS\n",
            "launch.sh:3: --global-batch-size (training.global_batch_size) = $((MBS_*_NODES)): $1 has no value"},
        Bad{"UnresolvedCommand", "python pretrain_gpt.py --seq-length $(cat seq)\n", "$(command) has no value"},
        Bad{"UnresolvedInYaml", "MODEL_ARGS:\n  --hidden-size: ${HIDDEN}\n", "launch.sh:2: --hidden-size"},
        Bad{"DivisionByZero", "python pretrain_gpt.py --num-layers $((4 / 0))\n", "has no value in this text"},
        Bad{"MissingValue", "python pretrain_gpt.py --num-layers --hidden-size 8\n",
            "--num-layers (model.num_layers): the value is missing"},
        Bad{"WrongChoice", "python pretrain_gpt.py --num-layers 2 --normalization BatchNorm\n",
            "--normalization (model.normalization) = BatchNorm: must be one of layernorm, rmsnorm"},
        Bad{"TwoPrecisions", "python pretrain_gpt.py --num-layers 2 --fp16 --bf16\n", "exclude each other"},
        Bad{"OtherModel", "python pretrain_t5.py --num-layers 2\n",
            "pretrain_t5.py trains a kind of model that is not predicted"}),
    [](const auto& named) { return std::string(named.param.name); });

TEST(BadInputs, AreReportedTogether) {
  const Reading reading = read("python pretrain_gpt.py --num-layers $A --hidden-size $B --seq-length --bf16\n");
  EXPECT_EQ(reading.problems.all().size(), 3U) << reading.problem_text();
}

TEST(BadInputs, UnresolvedVariablesElsewhereArePassedOver) {
  const Reading reading =
      read("python pretrain_gpt.py --num-layers 2 --save $CHECKPOINTS --lr ${LR} --wandb-exp-name $(date) --bf16\n");
  EXPECT_EQ(reading.problem_text(), "");
  EXPECT_EQ(reading.value("model.num_layers"), "2");
}

TEST(BadInputs, AnUnresolvedWordThatMayHoldFlagsIsAWarning) {
  const Reading reading = read("python pretrain_gpt.py --num-layers 2 --bf16 $EXTRA_ARGS\n");
  EXPECT_EQ(reading.problem_text(), "");
  EXPECT_TRUE(reading.warns_of("may hold more flags"));
}

TEST(BadInputs, JsonOfAnyDepthIsNamedShortly) {
  const std::string text = std::string(100000, '[') + "1" + std::string(100000, ']');
  const Reading reading = read(R"({"--num-layers": {"--hidden-size": [)" + text + "]}}");
  const std::string value = reading.value("model.hidden_size");
  EXPECT_NE(value.find("…"), std::string::npos);
  EXPECT_LT(value.size(), 10U);
}

TEST(BadInputs, DoublingVariablesDoNotExhaustMemory) {
  std::string text = "A=xxxxxxxx\n";
  for (int i = 0; i < 60; ++i) text += "A=\"$A$A\"\n";
  const Reading reading = read(text + "python pretrain_gpt.py --num-layers 2 --save $A\n");
  EXPECT_NE(reading.problem_text().find("more than 2 MiB"), std::string::npos);
}

}  // namespace
}  // namespace shardsim::input
