#include "sim/input/schema.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "sim/input/units.hpp"

namespace shardsim::input {
namespace {

std::vector<std::string> split(const std::string& list, const std::string& between) {
  std::vector<std::string> words;
  std::size_t from = 0;
  for (std::size_t at = list.find(between); at != std::string::npos; at = list.find(between, from)) {
    words.push_back(list.substr(from, at - from));
    from = at + between.size();
  }
  words.push_back(list.substr(from));
  return words;
}

/// A valid text for a key, from the key's own description of its kind.
std::string random_text(const SchemaKey& key, std::mt19937_64& random) {
  const auto below = [&](std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random); };
  if (key.kind.rfind("whole number ", 0) == 0) {
    const auto bounds = split(key.kind.substr(13), " … ");
    const std::int64_t low = *parse_integer(bounds.at(0)).value;
    return std::to_string(low + below(*parse_integer(bounds.at(1)).value - low + 1));
  }
  if (key.kind.rfind("number ", 0) == 0) {
    const auto bounds = split(key.kind.substr(7), " … ");
    std::uniform_real_distribution<double> value(*parse_number(bounds.at(0)).value, *parse_number(bounds.at(1)).value);
    return to_text(value(random));
  }
  if (key.kind == "true or false") return below(2) == 0 ? "true" : "false";
  if (key.kind == "text") return "text " + std::to_string(below(1000));
  if (key.kind.rfind("size", 0) == 0) return to_text(Bytes{below(std::int64_t{1} << 40)});
  if (key.kind.rfind("time", 0) == 0) return std::to_string(below(100'000)) + " us";
  if (key.kind.rfind("bandwidth", 0) == 0) return std::to_string(below(100'000)) + " Mb/s";
  if (key.kind.rfind("speed", 0) == 0) return std::to_string(below(5'000)) + " TFLOP/s";
  if (key.name == "cluster.inter_node_scaling") return "2:1 8:0." + std::to_string(1 + below(9));
  if (key.name == "training.recompute.modules") return below(2) == 0 ? "core_attn mlp" : "none";
  const auto choices = split(key.kind, ", ");
  return choices[static_cast<std::size_t>(below(static_cast<std::int64_t>(choices.size())))];
}

// Every field: text is read; what is written reads back to a scenario that writes the same text.
TEST(Schema, EveryKeyWritesWhatItReads) {
  std::mt19937_64 random(7);
  for (const SchemaKey& key : schema()) {
    for (int i = 0; i < 20; ++i) {
      const std::string text = random_text(key, random);
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
      ASSERT_EQ(key.read(changed, random_text(key, random)), "");
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

}  // namespace
}  // namespace shardsim::input
