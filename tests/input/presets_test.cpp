#include <gtest/gtest.h>

#include "sim/input/settings.hpp"
#include "tests/input/test_presets.hpp"

namespace shardsim::input::test {
namespace {

using model::Scenario;

TEST(Presets, ModelPresetIsWeakerThanGivenValues) {
  const Scenario scenario =
      resolve_text("[model]\npreset = \"gpt3-175b\"\nnum_layers = 48\n[training]\nmicro_batch_size = 1\n");
  EXPECT_EQ(scenario.model.name, "gpt3-175b");
  EXPECT_EQ(scenario.model.num_layers, 48);
  EXPECT_EQ(scenario.model.hidden_size, 12288);
  EXPECT_EQ(scenario.name, "gpt3-175b");
}

TEST(Presets, ClusterCorrectsItsDevice) {
  const Scenario scenario =
      resolve_text("model = \"gpt3-175b\"\ncluster = \"a100-dgx\"\ntraining.micro_batch_size = 1\n");
  EXPECT_EQ(scenario.cluster.device.name, "a100");
  EXPECT_EQ(scenario.cluster.device.title, "test A100");
  EXPECT_EQ(scenario.cluster.title, "test DGX A100");
  EXPECT_EQ(scenario.cluster.device.memory_capacity, Bytes{79LL << 30});
  EXPECT_EQ(scenario.cluster.inter_node.bandwidth, BytesPerSecond{25e9});
  ASSERT_EQ(scenario.cluster.inter_node_scaling.size(), 2U);
}

TEST(Presets, AGivenDeviceReplacesTheClustersWithItsCorrections) {
  const Scenario scenario =
      resolve_text("model = \"gpt3-175b\"\ncluster = \"a100-dgx\"\ndevice = \"v100\"\ntraining.micro_batch_size = 1\n");
  EXPECT_EQ(scenario.cluster.name, "a100-dgx");
  EXPECT_EQ(scenario.cluster.device.name, "v100");
  EXPECT_EQ(scenario.cluster.device.memory_capacity, Bytes{32LL << 30});
}

TEST(Presets, GivenDeviceValuesBeatBoth) {
  const Scenario scenario = resolve_text(
      "model = \"gpt3-175b\"\n[training]\nmicro_batch_size = 1\n[device]\nmemory_capacity = \"40 GiB\"\n"
      "[device.gemm.bf16]\nefficiency = 0.7\n");
  EXPECT_EQ(scenario.cluster.device.memory_capacity, Bytes{40LL << 30});
  EXPECT_EQ(scenario.cluster.device.gemm[static_cast<std::size_t>(model::DType::bf16)].efficiency, 0.7);
}

TEST(Presets, PresetValuesAreNotAssumptions) {
  const Scenario scenario = resolve_text(
      "model = \"gpt3-175b\"\ncluster = \"a100-dgx\"\nstack = \"nanotron\"\ntraining.micro_batch_size = 1\n");
  for (const auto& one : scenario.assumed) {
    EXPECT_NE(one.key, "model.vocab_size");
    EXPECT_NE(one.key, "cluster.preset");
    EXPECT_NE(one.key, "stack.layer_split");
  }
}

TEST(Presets, TitleStandsAtTheTopOrInTheSection) {
  EXPECT_EQ(preset_title({"models", "m", "title = \"top\"\n[model]\nnum_layers = 1\n"}), "top");
  EXPECT_EQ(preset_title({"devices", "d", "[device]\ntitle = \"inside\"\n"}), "inside");
  EXPECT_EQ(preset_title({"devices", "d", "[device]\n"}), "");
}

TEST(Presets, EmbeddedOnesAreSortedAndReadable) {
  const auto& all = presets();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(std::make_pair(all[i - 1].kind, all[i - 1].name), std::make_pair(all[i].kind, all[i].name));
    }
    EXPECT_EQ(find_preset(all[i].kind, all[i].name), &all[i]);
    Problems problems;
    (void)read_scenario(all[i].text, preset_file(all[i]), problems);
    EXPECT_TRUE(problems.empty()) << preset_file(all[i]);
    EXPECT_NE(preset_title(all[i]), "") << preset_file(all[i]);
  }
  EXPECT_EQ(find_preset("models", "no such model"), nullptr);
}

TEST(Settings, AssumedNeverBeatsGiven) {
  Settings settings;
  settings.set({"training.precision", "bf16", {}, {}});
  settings.set({"training.precision", "fp32", {}, "no flag"});
  EXPECT_EQ(settings.find("training.precision")->value, "bf16");
  settings.set({"training.precision", "fp16", {}, {}});
  EXPECT_EQ(settings.find("training.precision")->value, "fp16");
}

TEST(Settings, MergedValuesWin) {
  Settings base;
  base.set({"a", "1", {}, {}});
  base.set({"b", "1", {}, "assumed"});
  Settings over;
  over.set({"a", "2", {}, "assumed"});
  over.set({"b", "2", {}, "assumed"});
  base.merge(over);
  EXPECT_EQ(base.find("a")->value, "1");
  EXPECT_EQ(base.find("b")->value, "2");
}

}  // namespace
}  // namespace shardsim::input::test
