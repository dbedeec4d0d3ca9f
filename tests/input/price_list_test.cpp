#include "sim/input/price_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/input/scenario_file.hpp"

namespace shardsim::input {
namespace {

constexpr const char* kGood =
    "[price.a]\ndevice = \"h100-80gb\"\nusd_per_gpu_hour = 2.5\nterms = \"reserved\"\nprovider = \"P\"\n"
    "date = \"2025-01\"\nsource = \"S\"\n[power]\nh100-80gb = 700\n";

/// All messages, or "".
std::string problems_of(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  text.replace(at, from.size(), to);
  Problems problems;
  (void)read_price_list(text, "prices.toml", problems);
  std::string all;
  for (const Problem& problem : problems.all()) all += to_string(problem) + "\n";
  return all;
}

TEST(PriceList, IsRead) {
  Problems problems;
  const hardware::PriceList list = read_price_list(kGood, "prices.toml", problems);
  ASSERT_TRUE(problems.empty());
  ASSERT_EQ(list.prices.size(), 1U);
  EXPECT_EQ(list.prices[0].device, "h100-80gb");
  EXPECT_EQ(list.prices[0].usd_per_gpu_hour, 2.5);
  EXPECT_EQ(list.prices[0].terms, hardware::RentalTerms::reserved);
  EXPECT_EQ(list.watts.at("h100-80gb"), 700.0);
}

TEST(PriceList, RefusesWhatCannotBe) {
  EXPECT_NE(problems_of(kGood, "2.5", "-2.5").find("must be more than 0"), std::string::npos);
  EXPECT_NE(problems_of(kGood, "2.5", "1e9").find("at most 1000"), std::string::npos);
  EXPECT_NE(problems_of(kGood, "\"reserved\"", "\"spot\"").find("must be on-demand or reserved"), std::string::npos);
  EXPECT_NE(problems_of(kGood, "provider", "provder").find("did you mean \"provider\""), std::string::npos);
  EXPECT_NE(problems_of(kGood, "source = \"S\"\n", "").find("a price needs"), std::string::npos);
  EXPECT_NE(problems_of(kGood, "[power]", "[powr]").find("is no known key"), std::string::npos);
}

TEST(PriceList, BuiltInKnowsThePowerOfEveryDevicePreset) {
  const hardware::PriceList& list = built_in_prices();
  for (const Preset& preset : presets()) {
    if (preset.kind == "devices") EXPECT_EQ(list.watts.count(preset.name), 1U) << preset.name;
  }
}

TEST(PriceList, BuiltInPricesAreOfDevicePresets) {
  for (const hardware::Price& price : built_in_prices().prices) {
    EXPECT_NE(find_preset("devices", price.device), nullptr) << price.device;
  }
}

}  // namespace
}  // namespace shardsim::input
