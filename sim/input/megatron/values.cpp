#include "sim/input/megatron/values.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace shardsim::input::megatron {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Enumerations are printed as AttnBackend.flash or PositionEmbeddingType.rotary.
std::string without_enum_class(const std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 >= text.size()) return text;
  const bool class_like = std::isupper(static_cast<unsigned char>(text[0])) != 0 &&
                          std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; }) &&
                          std::isalpha(static_cast<unsigned char>(text[dot + 1])) != 0;
  return class_like ? text.substr(dot + 1) : text;
}

}  // namespace

bool is_none(const std::string& text) {
  const std::string name = lower(text);
  return name.empty() || name == "none" || name == "null" || name == "~";
}
bool is_true(const std::string& text) { return lower(text) == "true"; }
bool is_false(const std::string& text) { return lower(text) == "false"; }

void mark_variables(Word& word) {
  for (std::size_t at = word.text.find('$'); at != std::string::npos; at = word.text.find('$', at + 1)) {
    std::size_t begin = at + 1;
    if (begin < word.text.size() && word.text[begin] == '{') ++begin;
    std::size_t end = begin;
    while (end < word.text.size() &&
           (std::isalnum(static_cast<unsigned char>(word.text[end])) != 0 || word.text[end] == '_')) {
      ++end;
    }
    const std::string name = "$" + word.text.substr(begin, end - begin);
    if (std::find(word.unresolved.begin(), word.unresolved.end(), name) == word.unresolved.end()) {
      word.unresolved.push_back(name);
    }
  }
}

std::vector<Word> python_words(const std::string& text, int line) {
  std::vector<Word> words;
  const bool list =
      text.size() > 1 && ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')'));
  std::string item;
  const auto finish = [&] {
    if (!item.empty()) words.push_back({without_enum_class(item), line, {}});
    item.clear();
  };
  for (std::size_t i = list ? 1 : 0; i < text.size() - (list ? 1 : 0); ++i) {
    const char c = text[i];
    if (c == '\'' || c == '"') continue;
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (blank || (list && c == ',')) {
      finish();
    } else {
      item += c;
    }
  }
  finish();
  if (words.size() == 1 && is_none(words[0].text)) words.clear();
  for (Word& word : words) mark_variables(word);
  return words;
}

}  // namespace shardsim::input::megatron
