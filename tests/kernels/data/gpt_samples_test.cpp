#include "kernels/data/gpt_samples.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace shardsim::kernels {
namespace {

Tokens counting(std::int32_t count) {
  Tokens tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), 0);
  return tokens;
}

// 26 tokens, sequences of 5: (26 − 1) / 5 = 5 disjoint pieces; the last target is the piece's next token.
TEST(GptSamples, AnEpochSeesEveryPieceOnce) {
  const auto samples = make_gpt_samples(counting(26), 5, 1, "text");
  for (const std::int64_t epoch : {0, 1, 7}) {
    std::set<std::int32_t> first_tokens;
    for (std::int64_t i = 0; i < 5; ++i) {
      const Sample sample = samples->sample(5 * epoch + i);
      first_tokens.insert(sample.tokens.front());
      ASSERT_EQ(sample.tokens.size(), 5U);
      for (std::size_t at = 0; at < 5; ++at) EXPECT_EQ(sample.targets[at], sample.tokens[at] + 1);
      EXPECT_EQ(sample.loss_mask, std::vector<float>(5, 1.0F));
      EXPECT_TRUE(sample.token_types.empty());
      EXPECT_EQ(sample.valid_length, 5);
    }
    EXPECT_EQ(first_tokens, (std::set<std::int32_t>{0, 5, 10, 15, 20}));
  }
}

TEST(GptSamples, EpochsAndSeedsHaveTheirOwnOrder) {
  const auto order = [](const DataSource& source, std::int64_t epoch) {
    Tokens first_tokens;
    for (std::int64_t i = 0; i < 50; ++i) first_tokens.push_back(source.sample(50 * epoch + i).tokens.front());
    return first_tokens;
  };
  const auto one = make_gpt_samples(counting(251), 5, 1, "");
  const auto two = make_gpt_samples(counting(251), 5, 2, "");
  EXPECT_EQ(order(*one, 0), order(*make_gpt_samples(counting(251), 5, 1, ""), 0));
  EXPECT_NE(order(*one, 0), order(*one, 1));
  EXPECT_NE(order(*one, 0), order(*two, 0));
}

}  // namespace
}  // namespace shardsim::kernels
