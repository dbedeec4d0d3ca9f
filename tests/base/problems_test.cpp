#include "sim/base/problems.hpp"

#include <gtest/gtest.h>

#include <string>

namespace shardsim {
namespace {

TEST(Problems, TextNamesPlaceKeyValueAndWhatIsRight) {
  EXPECT_EQ(to_string({{"run.toml", 3, "model.num_layers"}, "model.num_layers", "0", "must be within 1 … 10000"}),
            "run.toml:3: model.num_layers = 0: must be within 1 … 10000");
}

TEST(Problems, TheUsersOwnNameComesFirst) {
  EXPECT_EQ(to_string({{"train.sh", 7, "--num-layers"}, "model.num_layers", "x", "must be a whole number"}),
            "train.sh:7: --num-layers (model.num_layers) = x: must be a whole number");
}

TEST(Problems, UnknownPartsAreLeftOut) {
  EXPECT_EQ(to_string({{"run.toml", 0, {}}, {}, {}, "is empty"}), "run.toml: is empty");
  EXPECT_EQ(to_string({{}, "model.num_layers", {}, "is required"}), "model.num_layers: is required");
}

TEST(Problems, ALongValueIsCutBetweenCharacters) {
  const std::string text = to_string({{}, "model.title", std::string(199, 'x') + "é" + std::string(100000, 'y'), "no"});
  EXPECT_EQ(text, "model.title = " + std::string(199, 'x') + "…: no");
}

TEST(Problems, AllAreThrownTogether) {
  Problems problems;
  EXPECT_NO_THROW(problems.throw_if_any());
  problems.add({{}, "a", {}, "first"});
  problems.add({{}, "b", {}, "second"});
  try {
    problems.throw_if_any();
    FAIL() << "nothing thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().size(), 2U);
    EXPECT_STREQ(error.what(), "a: first\nb: second");
  }
}

}  // namespace
}  // namespace shardsim
