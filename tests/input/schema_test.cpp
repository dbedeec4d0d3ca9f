#include "sim/input/schema.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/input/random_value.hpp"

namespace shardsim::input {
namespace {

// Every field: text is read; what is written reads back to a scenario that writes the same text.
TEST(Schema, EveryKeyWritesWhatItReads) {
  std::mt19937_64 random(7);
  for (const SchemaKey& key : schema()) {
    for (int i = 0; i < 20; ++i) {
      const std::string text = test::random_value(key, random);
      model::Scenario first;
      ASSERT_EQ(key.read(first, text), "") << key.name << " = " << text;
      model::Scenario second;
      ASSERT_EQ(key.read(second, key.write(first)), "") << key.name << " = " << key.write(first);
      EXPECT_EQ(key.write(second), key.write(first)) << key.name << " from " << text;
    }
  }
}

// Two keys bound to one field would show here: setting one must not change what another writes.
TEST(Schema, EveryKeyHasAFieldOfItsOwn) {
  std::mt19937_64 random(3);
  const model::Scenario untouched;
  for (const SchemaKey& key : schema()) {
    model::Scenario changed;
    for (int i = 0; i < 100 && key.write(changed) == key.write(untouched); ++i) {
      ASSERT_EQ(key.read(changed, test::random_value(key, random)), "");
    }
    EXPECT_NE(key.write(changed), key.write(untouched)) << key.name << " changes nothing";
    for (const SchemaKey& other : schema()) {
      if (other.name != key.name) {
        EXPECT_EQ(other.write(changed), other.write(untouched)) << key.name << other.name;
      }
    }
  }
}

TEST(Schema, NamesAreSortedUniqueAndHelped) {
  std::set<std::string> names;
  for (const SchemaKey& key : schema()) {
    if (!names.empty()) {
      EXPECT_LT(*names.rbegin(), key.name);
    }
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_FALSE(key.help.empty()) << key.name;
    EXPECT_EQ(find_key(key.name), &key);
  }
  for (const DerivedKey& key : derived_keys()) {
    EXPECT_EQ(find_key(key.name), nullptr) << key.name;
  }
}

TEST(Schema, NearestKey) {
  EXPECT_EQ(nearest_key("model.hiden_size"), "model.hidden_size");
  EXPECT_EQ(nearest_key("modle.num_layers"), "model.num_layers");
  EXPECT_EQ(nearest_key("model.micro_batch_size"), "training.micro_batch_size");
  EXPECT_EQ(nearest_key("zzz"), "");
}

TEST(Schema, ScalePointsAreChecked) {
  const SchemaKey* key = find_key("cluster.inter_node_scaling");
  ASSERT_NE(key, nullptr);
  model::Scenario scenario;
  EXPECT_EQ(key->read(scenario, "2:1.0 4:0.9"), "");
  ASSERT_EQ(scenario.cluster.inter_node_scaling.size(), 2U);
  EXPECT_EQ(scenario.cluster.inter_node_scaling[1].nodes, 4);
  EXPECT_EQ(scenario.cluster.inter_node_scaling[1].bandwidth_ratio, 0.9);
  for (const char* text : {"4:0.9 2:1.0", "2", "2:", ":1", "2:nan", "0:1", "2:-1", "2:1;4:1"}) {
    EXPECT_NE(key->read(scenario, text), "") << text;
  }
}

TEST(Schema, MeasuredCollectivesAreChecked) {
  const SchemaKey* key = find_key("cluster.measured_collectives");
  ASSERT_NE(key, nullptr);
  model::Scenario scenario;
  const std::string good = "reduce_scatter:8:2:15us:20GB/s:40us:200GB/s";
  EXPECT_EQ(key->read(scenario, "all_gather:2:1:5us:1GB/s:6us:2GB/s " + good), "");
  ASSERT_EQ(scenario.cluster.measured_collectives.size(), 2U);
  const hardware::MeasuredCollective& entry = scenario.cluster.measured_collectives[1];
  EXPECT_EQ(entry.kind, hardware::Collective::reduce_scatter);
  EXPECT_EQ(entry.ranks, 8);
  EXPECT_EQ(entry.nodes, 2);
  EXPECT_EQ(entry.lines.small_latency, Seconds{15e-6});
  EXPECT_EQ(entry.lines.large_bandwidth, BytesPerSecond{200e9});
  for (const char* text : {"broadcast:8:1:15us:20GB/s:40us:200GB/s", "all_gather:1:1:15us:20GB/s:40us:200GB/s",
                           "all_gather:8:1:15:20GB/s:40us:200GB/s", "all_gather:8:1:15us:0GB/s:40us:200GB/s",
                           "all_gather:8:1:15us:20GB/s:40us", "all_gather:8:1:15us:20GB/s:40us:200GB/s:9"}) {
    EXPECT_NE(key->read(scenario, text), "") << text;
  }
}

}  // namespace
}  // namespace shardsim::input
