#include <unordered_map>
#include <utility>

#include "kernels/data/characters.hpp"
#include "kernels/data/text_file.hpp"
#include "kernels/data/tokenizer.hpp"

namespace shardsim::kernels {
namespace {

constexpr std::size_t kLongestWord = 100;  // characters; longer ones are [UNK], as in BERT's tokenization.py

/// U+00C0 … U+00FF without case and accent; '\0' stays as it is (ß, ÷, ×, and letters that do not decompose).
constexpr std::string_view kLatinBase{
    "aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0\0"
    "aaaaaa\0ceeeeiiii\0nooooo\0\0uuuuy\0y",
    64};

/// ASCII, and Latin-1 capitals without a plain base letter (Æ Ð Ø Þ), to lower case; accents go.
std::uint32_t lowered(std::uint32_t code) {
  if (code >= 'A' && code <= 'Z') return code + 0x20;
  if (code < 0xC0 || code > 0xFF) return code;
  const char base = kLatinBase[code - 0xC0];
  if (base != '\0') return static_cast<unsigned char>(base);
  const bool capital = code < 0xDF && code != 0xD7;
  return capital ? code + 0x20 : code;
}

/// A word's characters, each in UTF-8.
using Word = std::vector<std::string>;

class WordPieceTokenizer final : public Tokenizer {
 public:
  WordPieceTokenizer(const std::string& vocab_file, LetterCase letter_case) : letter_case_{letter_case} {
    for (const std::string& line : lines_of(read_text_file(vocab_file, "vocab-file"))) {
      ids_.emplace(line, static_cast<std::int32_t>(size_++));
    }
    const auto required = [&](const char* token) {
      const auto found = ids_.find(token);
      if (found == ids_.end()) {
        refuse_file(vocab_file, "vocab-file", std::string("lacks the line ") + token + " (BERT's vocab.txt has it)");
      }
      return found->second;
    };
    special_ = {required("[PAD]"), required("[CLS]"), required("[SEP]"), required("[MASK]"), -1};
    unknown_ = required("[UNK]");
  }

  [[nodiscard]] Tokens encode(std::string_view text) const override {
    Tokens tokens;
    Word word;
    const auto finish = [&] {
      if (!word.empty()) append(word, tokens);
      word.clear();
    };
    for (const Character& character : characters(text)) {
      const std::uint32_t code = letter_case_ == LetterCase::lower ? lowered(character.code) : character.code;
      const bool combining = code >= 0x300 && code <= 0x36F;
      if (code == 0 || code == 0xFFFD || (combining && letter_case_ == LetterCase::lower)) continue;
      const CharacterClass kind = class_of(code);
      const bool alone = kind == CharacterClass::other || is_ideograph(code);
      if (kind == CharacterClass::space || alone) finish();
      if (kind == CharacterClass::space) continue;
      word.push_back(utf8(code));
      if (alone) finish();
    }
    finish();
    return tokens;
  }
  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] const SpecialTokens& special() const override { return special_; }
  [[nodiscard]] std::string name() const override { return "WordPiece"; }

 private:
  /// The longest known piece from the left, again and again (Wu et al. 2016).
  void append(const Word& word, Tokens& tokens) const {
    Tokens pieces;
    std::size_t first = 0;
    while (first < word.size() && word.size() <= kLongestWord) {
      std::size_t taken = 0;
      std::string piece = first == 0 ? "" : "##";
      for (std::size_t last = first; last < word.size(); ++last) {
        piece += word[last];
        const auto found = ids_.find(piece);
        if (found == ids_.end()) continue;
        if (taken > 0) pieces.pop_back();
        pieces.push_back(found->second);
        taken = last + 1 - first;
      }
      if (taken == 0) break;
      first += taken;
    }
    if (first < word.size()) pieces = {unknown_};
    tokens.insert(tokens.end(), pieces.begin(), pieces.end());
  }

  LetterCase letter_case_;
  std::unordered_map<std::string, std::int32_t> ids_;
  std::int64_t size_ = 0;
  SpecialTokens special_;
  std::int32_t unknown_ = 0;
};

}  // namespace

std::unique_ptr<Tokenizer> make_word_piece_tokenizer(const std::string& vocab_file, LetterCase letter_case) {
  return std::make_unique<WordPieceTokenizer>(vocab_file, letter_case);
}

}  // namespace shardsim::kernels
