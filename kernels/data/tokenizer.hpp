// Text to token ids.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shardsim::kernels {

using Tokens = std::vector<std::int32_t>;

/// Ids with a meaning of their own; −1 where a vocabulary lacks one.
struct SpecialTokens {
  std::int32_t pad = -1;
  std::int32_t classification = -1;
  std::int32_t separator = -1;
  std::int32_t mask = -1;
  std::int32_t end_of_text = -1;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  [[nodiscard]] virtual Tokens encode(std::string_view text) const = 0;
  /// Ids are 0 … size − 1.
  [[nodiscard]] virtual std::int64_t size() const = 0;
  [[nodiscard]] virtual const SpecialTokens& special() const = 0;
  /// "bytes", "GPT-2 BPE", "WordPiece".
  [[nodiscard]] virtual std::string name() const = 0;
};

/// A byte is its value; [PAD], [CLS], [SEP], [MASK] follow as 256 … 259.
[[nodiscard]] std::unique_ptr<Tokenizer> make_byte_tokenizer();

/// Radford et al. 2019: byte-level pair encoding, from GPT-2's vocab.json and merges.txt. Throws InputError.
[[nodiscard]] std::unique_ptr<Tokenizer> make_bpe_tokenizer(const std::string& vocab_file,
                                                            const std::string& merge_file);

enum class LetterCase { keep, lower };

/// BERT's WordPiece, from its vocab.txt: split at spaces and punctuation, then the longest pieces from the left; a word
/// that cannot be spelt is [UNK]. lower: ASCII and Latin-1 letters are made small and lose their accents. Throws
/// InputError.
[[nodiscard]] std::unique_ptr<Tokenizer> make_word_piece_tokenizer(const std::string& vocab_file,
                                                                   LetterCase letter_case);

}  // namespace shardsim::kernels
