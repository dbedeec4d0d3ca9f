#include "sim/input/multiplier.hpp"

#include <gtest/gtest.h>

#include "sim/input/resolve.hpp"

namespace shardsim::input {
namespace {

/// What `key` = `value` becomes over `below`; "" = refused.
std::string product(const std::string& key, const std::string& value, const Settings& below) {
  Problems problems;
  const auto setting = multiplied({key, value, {"here", 0, "--set"}, ""}, below, problems);
  EXPECT_EQ(setting.has_value(), problems.empty());
  return setting ? setting->value : "";
}

Settings one(const std::string& key, const std::string& value) {
  Settings settings;
  settings.set({key, value, {}, ""});
  return settings;
}

TEST(Multiplier, IsAnXAndANumber) {
  EXPECT_EQ(multiplier_of("x2"), 2.0);
  EXPECT_EQ(multiplier_of("x0.5"), 0.5);
  EXPECT_EQ(multiplier_of("2"), std::nullopt);
  EXPECT_EQ(multiplier_of("x"), std::nullopt);
  EXPECT_EQ(multiplier_of("xl"), std::nullopt);
}

TEST(Multiplier, KeepsTheUnit) {
  EXPECT_EQ(product("cluster.inter_node.bandwidth", "x2", one("cluster.inter_node.bandwidth", "25 GB/s")), "50 GB/s");
  EXPECT_EQ(product("device.memory_capacity", "x0.5", one("device.memory_capacity", "79.2GiB")), "39.6GiB");
  EXPECT_EQ(product("cluster.gpus", "x2", one("cluster.gpus", "1500000")), "3000000");
  EXPECT_EQ(product("model.num_layers", "x1.5", one("model.num_layers", "24")), "36");
}

TEST(Multiplier, OfAHardwareFieldThatNobodyGivesIsOfItsDefault) {
  EXPECT_EQ(product("cluster.fabric_oversubscription", "x2", {}), "2");
}

TEST(Multiplier, NeedsANumberToMultiply) {
  EXPECT_EQ(product("model.num_layers", "x2", {}), "");
  EXPECT_EQ(product("parallelism.sequence_parallel", "x2", one("parallelism.sequence_parallel", "true")), "");
  EXPECT_EQ(product("model.num_layers", "x0", one("model.num_layers", "24")), "");
  EXPECT_EQ(product("model.num_layers", "x-1", one("model.num_layers", "24")), "");
}

TEST(Multiplier, LeavesOtherValuesAndNamesAlone) {
  EXPECT_EQ(product("model.num_layers", "24", {}), "24");
  EXPECT_EQ(product("model.name", "x2", one("model.name", "a")), "x2");
  EXPECT_EQ(product("model.preset", "x2", {}), "x2");
}

TEST(Multiplier, MultipliesWhatThePresetSays) {
  Settings settings = one("model.preset", "gpt2-tiny");
  settings.set({"training.micro_batch_size", "1", {}, ""});
  const model::Scenario before = resolve(settings);
  settings.set({"cluster.nic_bandwidth", "x2", {}, ""});
  settings.set({"device.hbm_capacity", "x0.5", {}, ""});
  const model::Scenario after = resolve(settings);
  EXPECT_DOUBLE_EQ(after.cluster.inter_node.bandwidth.value(), 2.0 * before.cluster.inter_node.bandwidth.value());
  EXPECT_NEAR(after.cluster.device.memory_capacity / before.cluster.device.memory_capacity, 0.5, 1e-9);
}

}  // namespace
}  // namespace shardsim::input
