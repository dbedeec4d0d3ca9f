// Unicode characters in UTF-8, in the coarse classes that tokenizers ask for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardsim::kernels {

/// `size` bytes of the text from `first`. A byte that is no UTF-8 is a character of its own with code U+FFFD.
struct Character {
  std::uint32_t code = 0;
  std::size_t first = 0;
  std::size_t size = 0;
};

[[nodiscard]] std::vector<Character> characters(std::string_view text);
[[nodiscard]] std::string utf8(std::uint32_t code);

enum class CharacterClass { space, letter, number, other };

/// ASCII and Latin-1 exactly as Unicode's White_Space, L and N; beyond them by blocks: spaces, decimal digits,
/// number forms, and the blocks of punctuation, symbols, combining marks and emoji are told from letters, and
/// everything else is a letter. Within such blocks single characters may differ from the standard's tables.
[[nodiscard]] CharacterClass class_of(std::uint32_t code);

/// A letter of the unified Chinese, Japanese and Korean ideographs, which BERT makes words of their own.
[[nodiscard]] bool is_ideograph(std::uint32_t code);

}  // namespace shardsim::kernels
