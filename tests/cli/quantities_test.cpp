#include "sim/cli/quantities.hpp"

#include <gtest/gtest.h>

#include "sim/base/problems.hpp"
#include "sim/cli/pricing.hpp"
#include "sim/cli/sweep_range.hpp"

namespace shardsim::cli {
namespace {

using Words = std::vector<std::string>;

TEST(Quantities, TokensTimeAndMoney) {
  EXPECT_EQ(parse_count("300B").value, 300e9);
  EXPECT_EQ(parse_count("1.5T").value, 1.5e12);
  EXPECT_EQ(parse_count("4e9").value, 4e9);
  EXPECT_EQ(parse_duration("30d").value, Seconds{30.0 * 86400.0});
  EXPECT_EQ(parse_duration("45 min").value, Seconds{2700.0});
  EXPECT_EQ(parse_usd("$2.5M").value, 2.5e6);
  EXPECT_EQ(parse_usd("40k").value, 40e3);
}

TEST(Quantities, RefuseNothingNegativeAndAbsurd) {
  for (const char* text : {"0", "-1", "1e30", "", "many", "3 X"}) EXPECT_FALSE(parse_count(text).value) << text;
  for (const char* text : {"0d", "-1d", "30", "1e9d", "d", ""}) EXPECT_FALSE(parse_duration(text).value) << text;
  for (const char* text : {"0", "-5", "$", "1e20"}) EXPECT_FALSE(parse_usd(text).value) << text;
}

TEST(SweepRange, ByFactorByStepAndByList) {
  EXPECT_EQ(parse_axis("cluster.gpus=64..4096:x4").values, (Words{"64", "256", "1024", "4096"}));
  EXPECT_EQ(parse_axis("cluster.gpus=64..300:x2").values, (Words{"64", "128", "256"}));
  EXPECT_EQ(parse_axis("model.num_layers=1..7:+3").values, (Words{"1", "4", "7"}));
  EXPECT_EQ(parse_axis("model.num_layers=2..4").values, (Words{"2", "3", "4"}));
  EXPECT_EQ(parse_axis("device.error=0.1..0.3:+0.1").values.size(), 3U);
  EXPECT_EQ(parse_axis("cluster.preset=a100-dgx, h100-dgx").values, (Words{"a100-dgx", "h100-dgx"}));
  EXPECT_EQ(parse_axis("cluster.nic_bandwidth=x1,x2").key, "cluster.inter_node.bandwidth");
  EXPECT_EQ(parse_axis("cluster.nic_bandwidth=x1,x2").name, "cluster.nic_bandwidth");
}

TEST(SweepRange, RefusesWhatNeverEndsAndWhatIsNoKey) {
  for (const char* text : {"cluster.gpus=1..8:x1", "cluster.gpus=0..8:x2", "cluster.gpus=1..8:+0", "cluster.gpus=8..1",
                           "cluster.gpus=1..1000000", "cluster.gpus=1..8:2", "cluster.gpus=1,,2", "cluster.gpus=1,1",
                           "cluster.gpus=", "=1", "cluster.gpus", "cluster.gpsu=1,2", "cluster.gpus=a..b"}) {
    EXPECT_THROW((void)parse_axis(text), InputError) << text;
  }
}

TEST(Pricing, ListHasAMedianAndARange) {
  // scenarios/prices.toml: 1.79 and 3.18.
  const plan::Economics listed = economics_of("a100-80gb", {});
  EXPECT_DOUBLE_EQ(listed.usd_per_gpu_hour.expected, 0.5 * (1.79 + 3.18));
  EXPECT_EQ(listed.usd_per_gpu_hour.p10, 1.79);
  EXPECT_EQ(listed.usd_per_gpu_hour.p90, 3.18);
  EXPECT_EQ(listed.device_watts, 400.0);
  EXPECT_EQ(economics_of("no-such-device", {}).usd_per_gpu_hour.expected, 0.0);
  EXPECT_EQ(economics_of("h100-80gb", {"", "reserved", ""}).usd_per_gpu_hour.expected, 4.916);
}

TEST(Pricing, GivenPriceReplacesTheList) {
  const plan::Estimate price = economics_of("a100-80gb", {"1.5..2.5", "", ""}).usd_per_gpu_hour;
  EXPECT_EQ(price.expected, 2.0);
  EXPECT_EQ(price.p10, 1.5);
  EXPECT_EQ(price.p90, 2.5);
  for (const char* bad : {"-1", "0", "5000", "2..1", "cheap"}) {
    EXPECT_THROW((void)economics_of("a100-80gb", {bad, "", ""}), InputError) << bad;
  }
  EXPECT_THROW((void)economics_of("a100-80gb", {"", "spot", ""}), InputError);
  EXPECT_THROW((void)economics_of("a100-80gb", {"", "", "0.5"}), InputError);
}

}  // namespace
}  // namespace shardsim::cli
