#include "sim/base/suggest.hpp"

#include <gtest/gtest.h>

namespace shardsim {
namespace {

const std::vector<std::string_view> kKnown{"a100-dgx", "a100-hdr4", "h100-dgx", "v100-dgx2h"};

TEST(Suggest, OneLetterWrong) { EXPECT_EQ(nearest("a100-dxg", kKnown), "a100-dgx"); }
TEST(Suggest, LetterMissing) { EXPECT_EQ(nearest("v100-dgx2", kKnown), "v100-dgx2h"); }
TEST(Suggest, ExactNameIsItsOwnNearest) { EXPECT_EQ(nearest("h100-dgx", kKnown), "h100-dgx"); }
TEST(Suggest, UnderscoreForDash) { EXPECT_EQ(nearest("h100_dgx", kKnown), "h100-dgx"); }
TEST(Suggest, NothingNear) { EXPECT_EQ(nearest("tpu-pod", kKnown), std::nullopt); }
TEST(Suggest, NothingKnown) { EXPECT_EQ(nearest("a100-dgx", {}), std::nullopt); }
TEST(Suggest, EmptyName) { EXPECT_EQ(nearest("", kKnown), std::nullopt); }

// Case alone is the smallest difference: Gb/s (one letter's case) beats GB/s (two).
TEST(Suggest, CaseCountsLeast) { EXPECT_EQ(nearest("gb/s", {"GB/s", "Gb/s", "b/s"}), "Gb/s"); }

}  // namespace
}  // namespace shardsim
