#include <gtest/gtest.h>

#include "kernels/data/tokenizer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace shardsim::kernels {
namespace {

// Ids by line: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, un 5, ##aff 6, ##able 7, , 8, resume 9, 中 10, Un 11, ##a
// 12
constexpr const char* kVocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\n,\nresume\n\u4e2d\nUn\n##a\n";

TEST(WordPieceTokenizer, TakesTheLongestPieces) {
  const test::TemporaryFolder folder;
  const auto tokenizer = make_word_piece_tokenizer(folder.file("vocab.txt", kVocabulary), LetterCase::lower);
  EXPECT_EQ(tokenizer->size(), 13);
  EXPECT_EQ(tokenizer->special().mask, 4);
  EXPECT_EQ(tokenizer->encode("unaffable"), (Tokens{5, 6, 7}));
  EXPECT_EQ(tokenizer->encode("Unaffable, UN"), (Tokens{5, 6, 7, 8, 5}));
  EXPECT_EQ(tokenizer->encode("R\u00e9sum\u00e9"), (Tokens{9}));
  EXPECT_EQ(tokenizer->encode("un\u4e2dun"), (Tokens{5, 10, 5}));
  EXPECT_EQ(tokenizer->encode("unx una"), (Tokens{1, 5, 12}));
  EXPECT_EQ(tokenizer->encode(std::string(101, 'a')), (Tokens{1}));
}

TEST(WordPieceTokenizer, KeepsCapitals) {
  const test::TemporaryFolder folder;
  const auto tokenizer = make_word_piece_tokenizer(folder.file("vocab.txt", kVocabulary), LetterCase::keep);
  EXPECT_EQ(tokenizer->encode("Un un UN"), (Tokens{11, 5, 1}));
}

TEST(WordPieceTokenizer, RefusesAVocabularyWithoutItsSpecialTokens) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n");
  EXPECT_NE(test::refusal([&] {
              (void)make_word_piece_tokenizer(path, LetterCase::lower);
            }).find("vocab.txt: vocab-file: lacks the line [MASK]"),
            std::string::npos);
}

}  // namespace
}  // namespace shardsim::kernels
