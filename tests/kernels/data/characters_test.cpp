#include "kernels/data/characters.hpp"

#include <gtest/gtest.h>

#include "kernels/data/bpe_words.hpp"

namespace shardsim::kernels {
namespace {

TEST(Characters, ReadUtf8) {
  const std::string text = "a\u00e9\u4e2d\U0001F600";
  const std::vector<Character> all = characters(text);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1].code, 0xE9U);
  EXPECT_EQ(all[2].code, 0x4E2DU);
  EXPECT_EQ(all[3].code, 0x1F600U);
  EXPECT_EQ(all[3].first, 6U);
  std::string again;
  for (const Character& character : all) again += utf8(character.code);
  EXPECT_EQ(again, text);
}

// A lone continuation byte, an overlong slash, a surrogate, and a text that ends within a character.
TEST(Characters, TakeBrokenBytesOneByOne) {
  for (const std::string broken : {"\x80", "\xC0\xAF", "\xED\xA0\x80", "\xE4\xB8"}) {
    const std::vector<Character> all = characters(broken);
    EXPECT_EQ(all.size(), broken.size());
    for (const Character& character : all) EXPECT_EQ(character.code, 0xFFFDU);
  }
}

TEST(Characters, HaveClasses) {
  for (const std::uint32_t space : {0x20, 0x09, 0x0A, 0xA0, 0x2003, 0x3000}) {
    EXPECT_EQ(class_of(space), CharacterClass::space) << space;
  }
  for (const std::uint32_t letter : {0x41, 0x7A, 0xAA, 0xB5, 0xE9, 0x3B1, 0x416, 0x5D0, 0x4E2D, 0xAC00}) {
    EXPECT_EQ(class_of(letter), CharacterClass::letter) << letter;
  }
  for (const std::uint32_t number : {0x30, 0xB2, 0xBD, 0x663, 0x2460}) {
    EXPECT_EQ(class_of(number), CharacterClass::number) << number;
  }
  for (const std::uint32_t other : {0x21, 0x5F, 0xD7, 0xF7, 0x301, 0x2014, 0x20AC, 0x3002, 0x1F600}) {
    EXPECT_EQ(class_of(other), CharacterClass::other) << other;
  }
}

using Words = std::vector<std::string_view>;

// By hand from the pattern: a space belongs to the word after it; contractions and runs of one class are words; of
// several spaces the last leads the next word, and those at the end stay together.
TEST(BpeWords, FollowThePattern) {
  EXPECT_EQ(bpe_words("Hello world"), (Words{"Hello", " world"}));
  EXPECT_EQ(bpe_words("I'll they've can't o'clock"),
            (Words{"I", "'ll", " they", "'ve", " can", "'t", " o", "'", "clock"}));
  EXPECT_EQ(bpe_words("abc123 42!?"), (Words{"abc", "123", " 42", "!?"}));
  EXPECT_EQ(bpe_words("a   b"), (Words{"a", "  ", " b"}));
  EXPECT_EQ(bpe_words("a\n\nb"), (Words{"a", "\n", "\n", "b"}));
  EXPECT_EQ(bpe_words("a\nb"), (Words{"a", "\n", "b"}));
  EXPECT_EQ(bpe_words("end  "), (Words{"end", "  "}));
  EXPECT_EQ(bpe_words("\u00e9t\u00e9 \u2014 x"), (Words{"\u00e9t\u00e9", " \u2014", " x"}));
  EXPECT_EQ(bpe_words(""), Words{});
}

}  // namespace
}  // namespace shardsim::kernels
