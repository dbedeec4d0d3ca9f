#include "sim/input/megatron/shell_condition.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace shardsim::input::megatron {
namespace {

/// The text of a word in which unset variables are empty; nothing when it holds a command or an argument.
std::optional<std::string> known_text(const Word& word) {
  if (word.unresolved.empty()) return word.text;
  const bool one_variable = word.unresolved.size() == 1 && word.text.size() > 1 && word.text[0] == '$' &&
                            (word.text == word.unresolved[0] || word.text == "${" + word.unresolved[0].substr(1) + "}");
  if (one_variable && word.text.find_first_of("(`@*#?0123456789") != 1) return std::string();
  return std::nullopt;
}

std::optional<bool> compare(const std::string& left, const std::string& op, const std::string& right) {
  if (op == "=" || op == "==" || op == "!=") {
    if (right.find_first_of("*?[") != std::string::npos) return std::nullopt;
    return (left == right) == (op != "!=");
  }
  char* left_end = nullptr;
  char* right_end = nullptr;
  const long long a = std::strtoll(left.c_str(), &left_end, 10);
  const long long b = std::strtoll(right.c_str(), &right_end, 10);
  if (left.empty() || right.empty() || *left_end != '\0' || *right_end != '\0') return std::nullopt;
  if (op == "-eq") return a == b;
  if (op == "-ne") return a != b;
  if (op == "-lt") return a < b;
  if (op == "-le") return a <= b;
  if (op == "-gt") return a > b;
  if (op == "-ge") return a >= b;
  return std::nullopt;
}

bool glob(std::string_view text, std::string_view pattern) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++t;
      ++p;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

std::optional<bool> matches_pattern(const Word& text, const Word& pattern) {
  const std::optional<std::string> left = known_text(text);
  if (!left || !pattern.unresolved.empty() || pattern.text.find('[') != std::string::npos) return std::nullopt;
  return glob(*left, pattern.text);
}

std::optional<bool> decide_test(std::vector<Word> words) {
  if (words.empty()) return std::nullopt;
  const std::string open = words.front().text;
  if (open == "true" || open == ":") return true;
  if (open == "false") return false;
  if (open == "!") {
    words.erase(words.begin());
    const std::optional<bool> value = decide_test(words);
    return value ? std::optional<bool>{!*value} : std::nullopt;
  }
  if (open != "[" && open != "[[" && open != "test") return std::nullopt;
  words.erase(words.begin());
  if (open != "test") {
    // A && inside [[ … ]] cuts the test in two.
    if (words.empty() || words.back().text != (open == "[" ? "]" : "]]")) return std::nullopt;
    words.pop_back();
  }
  bool negated = false;
  if (!words.empty() && words.front().text == "!") {
    negated = true;
    words.erase(words.begin());
  }
  std::optional<bool> value;
  if (words.empty()) {
    value = false;
  } else if (words.size() == 1) {
    const std::optional<std::string> text = known_text(words[0]);
    if (text) value = !text->empty() && *text != "-n";
    if (text && *text == "-z") value = true;
  } else if (words.size() == 2 && (words[0].text == "-z" || words[0].text == "-n")) {
    const std::optional<std::string> text = known_text(words[1]);
    if (text) value = text->empty() == (words[0].text == "-z");
  } else if (words.size() == 3) {
    const std::optional<std::string> left = known_text(words[0]);
    const std::optional<std::string> right = known_text(words[2]);
    if (left && right) value = compare(*left, words[1].text, *right);
  }
  return value && negated ? std::optional<bool>{!*value} : value;
}

}  // namespace shardsim::input::megatron
