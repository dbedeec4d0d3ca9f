#include "kernels/operators/random.hpp"

#include <gtest/gtest.h>

namespace shardsim::kernels {
namespace {

void expect_words(RandomBits counter, std::uint64_t key, RandomBits expected) {
  const RandomBits bits = philox(counter, key);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bits.word[i], expected.word[i]) << i;
}

// The known answers of Random123 1.14 (tests/kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, GivesTheKnownAnswers) {
  expect_words({{0, 0, 0, 0}}, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  expect_words({{~0U, ~0U, ~0U, ~0U}}, ~0ULL, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  expect_words({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822ULL,
               {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

TEST(VisibleKeys, FollowOrderAndPadding) {
  const std::int32_t valid[2] = {2, 5};
  AttentionShape shape{2, 3, 0, 4, 5, true, valid};
  // One key more than queries: query 0 sees two. Rows are (sequence, head, query).
  EXPECT_EQ(visible_keys(shape, 0), 2);
  EXPECT_EQ(visible_keys(shape, 3), 2) << "the first sequence has two keys";
  EXPECT_EQ(visible_keys(shape, 12), 2);
  EXPECT_EQ(visible_keys(shape, 12 + 4 + 1), 3);
  EXPECT_EQ(visible_keys(shape, 23), 5);
  shape.causal = false;
  EXPECT_EQ(visible_keys(shape, 12), 5);
  shape.valid_keys = nullptr;
  EXPECT_EQ(visible_keys(shape, 0), 5);
}

}  // namespace
}  // namespace shardsim::kernels
