#include "sim/input/megatron/given.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace shardsim::input::megatron {
namespace {

/// A quoted "$ARGS" holds many flags in one word: cut it at blanks as an unquoted one is.
std::vector<Word> split_flag_bundles(const std::vector<Word>& words) {
  std::vector<Word> result;
  for (const Word& word : words) {
    const std::size_t blank = word.text.find_first_of(" \t\n");
    const bool bundle = looks_like_flag(word.text) && blank != std::string::npos && blank < word.text.find('=');
    if (!bundle) {
      result.push_back(word);
      continue;
    }
    std::size_t begin = 0;
    while (begin < word.text.size()) {
      const std::size_t end = std::min(word.text.find_first_of(" \t\n", begin), word.text.size());
      if (end > begin) {
        Word part{word.text.substr(begin, end - begin), word.line, {}};
        if (part.text.find('$') != std::string::npos) part.unresolved = word.unresolved;
        result.push_back(std::move(part));
      }
      begin = end + 1;
    }
  }
  return result;
}

/// Quotes that came with a variable's text ('type:transformer'); an inner shell would have removed them.
void remove_quotes(std::string& text) {
  const bool quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.front() == text.back();
  if (quoted) text = text.substr(1, text.size() - 2);
}

}  // namespace

std::string at_line(int line) { return line > 0 ? "line " + std::to_string(line) + ": " : ""; }

bool looks_like_flag(const std::string& text) {
  return text.size() > 2 && text[0] == '-' && text[1] == '-' && std::isalpha(static_cast<unsigned char>(text[2])) != 0;
}

std::vector<FlagUse> group_words(const std::vector<Word>& words) {
  std::vector<FlagUse> flags;
  for (Word& word : split_flag_bundles(words)) {
    remove_quotes(word.text);
    if (looks_like_flag(word.text)) {
      const std::size_t equals = word.text.find('=');
      flags.push_back(FlagUse{word.text.substr(0, equals), word.line, {}});
      if (equals == std::string::npos) continue;
      word.text.erase(0, equals + 1);
    }
    if (!flags.empty()) flags.back().values.push_back(std::move(word));
  }
  return flags;
}

}  // namespace shardsim::input::megatron
