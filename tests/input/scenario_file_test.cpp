#include "sim/input/scenario_file.hpp"

#include <gtest/gtest.h>

namespace shardsim::input {
namespace {

Settings read(std::string_view text, Problems& problems) { return read_scenario(text, "run.toml", problems); }

TEST(ScenarioFile, SectionsBecomeDottedKeysWithTheirLines) {
  Problems problems;
  const Settings settings = read(
      "name = \"run\"\n[training]\nmicro_batch_size = 4\n[training.recompute]\ngranularity = \"full\"\n", problems);
  EXPECT_TRUE(problems.empty());
  ASSERT_NE(settings.find("training.recompute.granularity"), nullptr);
  EXPECT_EQ(settings.find("training.recompute.granularity")->value, "full");
  EXPECT_EQ(settings.find("training.recompute.granularity")->origin.line, 5);
  EXPECT_EQ(settings.find("training.recompute.granularity")->origin.file, "run.toml");
  EXPECT_EQ(settings.find("training.micro_batch_size")->value, "4");
  EXPECT_EQ(settings.find("name")->value, "run");
}

TEST(ScenarioFile, ShortSpellings) {
  Problems problems;
  const Settings settings = read(
      "model = \"gpt3-175b\"\ngpus = 64\n[cluster]\npreset = \"a100-dgx\"\n[cluster.device]\nmemory_capacity = \"40 "
      "GiB\"\n",
      problems);
  EXPECT_EQ(settings.find("model.preset")->value, "gpt3-175b");
  EXPECT_EQ(settings.find("cluster.gpus")->value, "64");
  EXPECT_EQ(settings.find("cluster.preset")->value, "a100-dgx");
  EXPECT_EQ(settings.find("device.memory_capacity")->value, "40 GiB");
}

TEST(ScenarioFile, ClusterNamesItsDevice) {
  Problems problems;
  EXPECT_EQ(read("[cluster]\ndevice = \"a100\"\n", problems).find("device.preset")->value, "a100");
}

TEST(ScenarioFile, ListsBecomeWords) {
  Problems problems;
  const Settings settings = read(
      "[training.recompute]\nmodules = [\"core_attn\", \"mlp\"]\n[cluster]\ninter_node_scaling = [[2, 1.0], [4, "
      "0.9]]\n",
      problems);
  EXPECT_EQ(settings.find("training.recompute.modules")->value, "core_attn mlp");
  EXPECT_EQ(settings.find("cluster.inter_node_scaling")->value, "2:1.0 4:0.9");
}

TEST(ScenarioFile, FloatsStayFloats) {
  Problems problems;
  const Settings settings = read("a = 8.0\nb = 1e-6\nc = nan\nd = 1_000\n", problems);
  EXPECT_EQ(settings.find("a")->value, "8.0");
  EXPECT_EQ(settings.find("b")->value, "1e-06");
  EXPECT_EQ(settings.find("c")->value, "nan");
  EXPECT_EQ(settings.find("d")->value, "1000");
}

TEST(ScenarioFile, StringsAndCommentsHoldAnyLetter) {
  Problems problems;
  const Settings settings =
      read("a = \"µ \\\" é\" # é \" '\nb = 'é\\'\nc = \"\"\"é \" \\\n e é\"\"\"\nd = 1\n", problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(settings.find("a")->value, "µ \" é");
  EXPECT_EQ(settings.find("b")->value, "é\\");
  EXPECT_EQ(settings.find("c")->value, "é \" e é");
  EXPECT_EQ(settings.find("d")->value, "1");
}

// toml++ 3 has undefined behaviour there.
TEST(ScenarioFile, NoLetterBeyondAsciiBehindALineEndingBackslash) {
  Problems problems;
  (void)read("a = 1\nc = \"\"\"x \\\n é\"\"\"\n", problems);
  ASSERT_EQ(problems.all().size(), 1U);
  EXPECT_EQ(problems.all().front().origin.line, 2);
}

TEST(ScenarioFile, AByteOrderMarkIsPassedOver) {
  Problems problems;
  EXPECT_NE(read("\xEF\xBB\xBFname = \"run\"\n", problems).find("name"), nullptr);
  EXPECT_TRUE(problems.empty());
}

TEST(ScenarioFile, ADateIsNoSetting) {
  Problems problems;
  (void)read("[model]\nnum_layers = 2020-01-01\n", problems);
  ASSERT_EQ(problems.all().size(), 1U);
  EXPECT_EQ(problems.all()[0].key, "model.num_layers");
  EXPECT_EQ(problems.all()[0].origin.line, 2);
}

}  // namespace
}  // namespace shardsim::input
