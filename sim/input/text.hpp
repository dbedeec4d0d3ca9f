// Small tools for the text of settings and messages.
#pragma once

#include <string>
#include <string_view>

namespace shardsim::input {

/// Between quotation marks.
[[nodiscard]] inline std::string quoted(std::string_view text) {
  std::string quotation(1, '"');
  quotation += text;
  quotation += '"';
  return quotation;
}

/// Without blanks at both ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t from = text.find_first_not_of(kBlanks);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlanks) - from + 1);
}

/// Adds a word to a list, with `between` before all but the first.
inline void add_word(std::string& list, std::string_view word, std::string_view between = ", ") {
  if (!list.empty()) list += between;
  list += word;
}

/// Takes the next word off a list that is separated by blanks or commas; empty at its end.
[[nodiscard]] inline std::string_view take_word(std::string_view& list) {
  constexpr std::string_view kBetween = " ,\t\r\n";
  const std::size_t from = list.find_first_not_of(kBetween);
  if (from == std::string_view::npos) return list = {};
  list.remove_prefix(from);
  const std::string_view word = list.substr(0, list.find_first_of(kBetween));
  list.remove_prefix(word.size());
  return word;
}

}  // namespace shardsim::input
