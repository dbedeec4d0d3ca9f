#include "kernels/data/bpe_words.hpp"

#include "kernels/data/characters.hpp"

namespace shardsim::kernels {
namespace {

/// Length of an English contraction at the start of the text, 0 = none.
std::size_t contraction(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.substr(0, ending.size()) == ending) return ending.size();
  }
  return 0;
}

}  // namespace

std::vector<std::string_view> bpe_words(std::string_view text) {
  const std::vector<Character> all = characters(text);
  const auto class_at = [&](std::size_t i) { return class_of(all[i].code); };
  std::vector<std::string_view> words;
  std::size_t i = 0;
  const auto take_until = [&](std::size_t end) {
    const std::size_t last = end == all.size() ? text.size() : all[end].first;
    words.push_back(text.substr(all[i].first, last - all[i].first));
    i = end;
  };
  const auto run_end = [&](std::size_t from) {
    std::size_t end = from;
    while (end < all.size() && class_at(end) == class_at(from)) ++end;
    return end;
  };
  while (i < all.size()) {
    if (const std::size_t length = contraction(text.substr(all[i].first)); length > 0) {
      take_until(i + length);
      continue;
    }
    const bool led_by_space = all[i].code == ' ' && i + 1 < all.size() && class_at(i + 1) != CharacterClass::space;
    const std::size_t end = run_end(led_by_space ? i + 1 : i);
    // Of several spaces before a word the last one is left for it.
    const bool spaces = class_at(i) == CharacterClass::space && !led_by_space;
    take_until(spaces && end < all.size() && end - i > 1 ? end - 1 : end);
  }
  return words;
}

}  // namespace shardsim::kernels
