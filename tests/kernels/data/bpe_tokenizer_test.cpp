#include <gtest/gtest.h>

#include "kernels/data/tokenizer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace shardsim::kernels {
namespace {

/// All bytes under their names, then what the merges make: "th", "the", "Ġthe" (Ġ is the space), "in".
std::string vocabulary(bool with_bytes = true) {
  std::string json = "{";
  int next = 0;
  const auto add = [&](const std::string& token) {
    json += (next > 0 ? ", " : "") + ('"' + token) + "\": " + std::to_string(next);
    ++next;
  };
  int renamed = 0x100;
  for (int byte = 0; with_bytes && byte < 256; ++byte) {
    const bool printable = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    const int code = printable ? byte : renamed++;
    std::string name = code < 0x80
                           ? std::string(1, static_cast<char>(code))
                           : std::string{static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
    if (name == "\"" || name == "\\") name = "\\" + name;
    add(name);
  }
  for (const char* token : {"th", "the", "\u0120the", "in", "<|endoftext|>"}) add(token);
  return json + "}";
}

constexpr const char* kMerges = "#version: 0.2\nt h\nth e\n\u0120 the\ni n\n";

TEST(BpeTokenizer, JoinsByRank) {
  const test::TemporaryFolder folder;
  const auto tokenizer =
      make_bpe_tokenizer(folder.file("vocab.json", vocabulary()), folder.file("merges.txt", kMerges));
  EXPECT_EQ(tokenizer->size(), 261);
  EXPECT_EQ(tokenizer->special().end_of_text, 260);
  // "the" 257, " the" 258; " then" is Ġ the n -> Ġthe + n; "i" alone, "in" 259. A byte's id is here the byte.
  EXPECT_EQ(tokenizer->encode("the the"), (Tokens{257, 258}));
  EXPECT_EQ(tokenizer->encode("then in"), (Tokens{257, 'n', ' ', 259}));
  EXPECT_EQ(tokenizer->encode("\"th\\\xFF\n"), (Tokens{'"', 256, '\\', 0xFF, '\n'}));
}

// Cut into pieces of a megabyte or not: the ids are those of the words.
TEST(BpeTokenizer, LargeTextsAreNoOther) {
  const test::TemporaryFolder folder;
  const auto tokenizer =
      make_bpe_tokenizer(folder.file("vocab.json", vocabulary()), folder.file("merges.txt", kMerges));
  std::string text;
  Tokens expected;
  while (text.size() < (3U << 20U)) {
    text += "the\nin\n\n  the";
    for (const std::int32_t token : {257, int{'\n'}, 259, int{'\n'}, int{'\n'}, int{' '}, 258})
      expected.push_back(token);
  }
  EXPECT_EQ(tokenizer->encode("the\nin\n\n  the"), (Tokens{257, '\n', 259, '\n', '\n', ' ', 258}));
  const Tokens tokens = tokenizer->encode(text);
  EXPECT_TRUE(tokens == tokenizer->encode(text));
  // Where repetitions meet, "thethe" is one word: the + the, as apart.
  EXPECT_TRUE(tokens == expected);
}

TEST(BpeTokenizer, RefusesBrokenFiles) {
  const test::TemporaryFolder folder;
  const std::string merges = folder.file("merges.txt", kMerges);
  const std::string good = folder.file("vocab.json", vocabulary());
  const auto refused = [&](const std::string& vocab, const std::string& merge) {
    return test::refusal([&] { (void)make_bpe_tokenizer(vocab, merge); });
  };
  EXPECT_NE(refused(folder.file("a.json", "[1]"), merges).find("a.json: vocab-file: is not a JSON object"),
            std::string::npos);
  EXPECT_NE(refused(folder.file("b.json", "{\"a\": -1}"), merges).find("the id of \"a\" is -1"), std::string::npos);
  EXPECT_NE(refused(folder.file("c.json", vocabulary(false)), merges).find("lacks the byte"), std::string::npos);
  EXPECT_NE(refused(good, folder.file("m.txt", "th\n")).find("m.txt: merge-file: \"th\" is not a pair"),
            std::string::npos);
  EXPECT_NE(refused(good, folder.file("n.txt", "x y\n")).find("lacks \"xy\""), std::string::npos);
  EXPECT_NE(refused(good, folder.path() / "none.txt").find("none.txt: merge-file: cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace shardsim::kernels
