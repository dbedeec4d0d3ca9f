#include "kernels/data/bert_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace shardsim::kernels {
namespace {

// Text tokens are 10 … 999; ids below 4 are special.
const SpecialTokens kSpecial{0, 1, 2, 3, -1};

Tokens range(std::int32_t first, std::int32_t count) {
  Tokens tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

BertRules rules(std::int64_t seq_length, double masked_share = 0.15) {
  return {seq_length, kSpecial, 1000, masked_share};
}

TEST(BertSample, HasMegatronsShape) {
  bool swapped = false;
  bool in_order = false;
  for (std::uint64_t key = 0; key < 20; ++key) {
    RandomStream random{key};
    const Sample sample = make_bert_sample(rules(12), range(10, 3), range(20, 4), random);
    const Tokens straight = {1, 10, 11, 12, 2, 20, 21, 22, 23, 2, 0, 0};
    const Tokens exchanged = {1, 20, 21, 22, 23, 2, 10, 11, 12, 2, 0, 0};
    EXPECT_EQ(sample.targets, sample.sentence_order == 1 ? exchanged : straight);
    const Tokens types = sample.sentence_order == 1 ? Tokens{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0}
                                                    : Tokens{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0};
    EXPECT_EQ(sample.token_types, types);
    EXPECT_EQ(sample.valid_length, 10);
    // 15 % of 10 tokens, rounded: 2.
    EXPECT_EQ(std::accumulate(sample.loss_mask.begin(), sample.loss_mask.end(), 0.0F), 2.0F);
    for (std::size_t i = 0; i < 12; ++i) {
      if (sample.loss_mask[i] == 0.0F) {
        EXPECT_EQ(sample.tokens[i], sample.targets[i]);
      } else {
        EXPECT_GE(sample.targets[i], 10);
        EXPECT_NE(sample.tokens[i], 0);
      }
    }
    (sample.sentence_order == 1 ? swapped : in_order) = true;
  }
  EXPECT_TRUE(swapped && in_order);
}

// 100 + 20 tokens into 53: 50 are left, taken from the longer part only while it is the longer one.
TEST(BertSample, CutsTheLongerPart) {
  RandomStream random{3};
  const Sample sample = make_bert_sample(rules(53), range(10, 100), range(200, 20), random);
  EXPECT_EQ(sample.valid_length, 53);
  const auto of_short = [](std::int32_t token) { return token >= 200 && token < 220; };
  EXPECT_EQ(std::count_if(sample.targets.begin(), sample.targets.end(), of_short), 20);
}

// 80 % [MASK], 10 % themselves, 10 % others, over about 200 · 15 = 3000 chosen tokens: σ ≈ √(3000·0.8·0.2) = 22 and
// √(3000·0.1·0.9) = 16.
TEST(BertSample, MasksInTheSharesOfThePaper) {
  double masked = 0;
  double kept = 0;
  double chosen = 0;
  for (std::uint64_t key = 0; key < 200; ++key) {
    RandomStream random{key};
    const Sample sample = make_bert_sample(rules(100), range(10, 48), range(100, 49), random);
    for (std::size_t i = 0; i < sample.tokens.size(); ++i) {
      if (sample.loss_mask[i] == 0.0F) continue;
      ++chosen;
      if (sample.tokens[i] == kSpecial.mask) ++masked;
      if (sample.tokens[i] == sample.targets[i]) ++kept;
    }
  }
  EXPECT_EQ(chosen, 200 * 15);
  EXPECT_NEAR(masked, 0.8 * chosen, 110);
  EXPECT_NEAR(kept, 0.1 * chosen, 80);
}

TEST(BertSamples, ArePureFunctionsOfTheIndex) {
  const auto make = [](std::uint64_t seed) {
    std::vector<Document> documents;
    for (std::int32_t d = 0; d < 20; ++d) documents.push_back({range(10, 9), range(30 + d, 9), range(80, 9)});
    return make_bert_samples(std::move(documents), rules(24), seed, "");
  };
  const auto one = make(1);
  const auto again = make(1);
  const auto other = make(2);
  int same = 0;
  for (std::int64_t i = 0; i < 60; ++i) {
    EXPECT_EQ(one->sample(i).tokens, again->sample(i).tokens);
    same += one->sample(i).tokens == other->sample(i).tokens ? 1 : 0;
  }
  EXPECT_LT(same, 10);
}

TEST(BertSamples, NeedTwoSentencesOfADocument) {
  EXPECT_EQ(make_bert_samples({{range(10, 9)}, {range(10, 9)}}, rules(24), 1, ""), nullptr);
  EXPECT_EQ(make_bert_samples({}, rules(24), 1, ""), nullptr);
}

TEST(Sentences, EndAtPunctuationAndLines) {
  using Sentences = std::vector<std::string_view>;
  const auto documents = split_sentences("One. Two! Three?\nFour 1.5 e.g.x\r\n\r\n  \nFive.  Six\n\n");
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(documents[0], (Sentences{"One.", "Two!", "Three?", "Four 1.5 e.g.x"}));
  EXPECT_EQ(documents[1], (Sentences{"Five.", "Six"}));
  EXPECT_TRUE(split_sentences("\n \n").empty());
}

}  // namespace
}  // namespace shardsim::kernels
