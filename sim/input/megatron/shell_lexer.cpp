#include "sim/input/megatron/shell_lexer.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace shardsim::input::megatron {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool ends_word(char c) {
  return is_blank(c) || c == '\n' || std::string_view(";&|()<>").find(c) != std::string_view::npos;
}

/// NAME= or NAME+=, which a "(" makes an array.
bool opens_array(const std::string& word) {
  if (word.size() < 2 || word.back() != '=') return false;
  std::size_t end = word.size() - 1;
  if (word[end - 1] == '+') --end;
  const auto is_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return end > 0 && std::isdigit(static_cast<unsigned char>(word[0])) == 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(end), is_name);
}

class Lexer {
 public:
  Lexer(std::string_view text, int first_line) : text_{text}, line_{first_line} {}

  ShellTokens run() {
    while (pos_ < text_.size()) step();
    return std::move(result_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }
  void advance() {
    if (text_[pos_] == '\n') ++line_;
    ++pos_;
  }
  void take(std::string& word) {
    word += text_[pos_];
    advance();
  }

  void step() {
    const char c = peek();
    if (is_blank(c) || skip_continuation()) {
      if (is_blank(c)) advance();
    } else if (c == '#') {
      while (pos_ < text_.size() && peek() != '\n') advance();
    } else if (c == '\n') {
      control("newline", 1);
      skip_here_documents();
    } else if (c == '<' || c == '>' || (c == '&' && peek(1) == '>')) {
      skip_redirection();
    } else if ((c == '&' || c == '|' || c == ';') && peek(1) == c) {
      control(std::string(2, c), 2);
    } else if (c == '(' && peek(1) == '(' && read_arithmetic()) {
      // Taken as one word.
    } else if (c == ';' || c == '&' || c == '|' || c == '(' || c == ')') {
      control(std::string(1, c), 1);
    } else {
      read_word();
    }
  }

  void control(std::string name, std::size_t size) {
    result_.tokens.push_back({TokenKind::control, std::move(name), line_});
    for (std::size_t i = 0; i < size; ++i) advance();
  }

  /// A backslash before the end of the line; blanks after it, as pasted text often has, are forgiven.
  bool skip_continuation() {
    if (peek() != '\\') return false;
    std::size_t end = pos_ + 1;
    while (end < text_.size() && is_blank(text_[end])) ++end;
    if (end < text_.size() && text_[end] != '\n') return false;
    while (pos_ < std::min(end + 1, text_.size())) advance();
    return true;
  }

  /// ((expression)) as one word; false when it does not close that way (a subshell in a subshell).
  bool read_arithmetic() {
    constexpr std::size_t kLongest = 1000;
    const std::size_t last = std::min(text_.size(), pos_ + kLongest);
    std::size_t end = pos_;
    for (int level = 0; end < last; ++end) {
      if (text_[end] == '(') ++level;
      if (text_[end] == ')' && --level == 0) break;
    }
    if (end >= last || text_[end - 1] != ')') return false;
    const int line = line_;
    std::string word;
    while (pos_ <= end) take(word);
    result_.tokens.push_back({TokenKind::word, std::move(word), line});
    return true;
  }

  void read_word() {
    const int line = line_;
    std::string word;
    while (pos_ < text_.size()) {
      const char c = peek();
      if (ends_word(c) || (c == '\\' && skip_continuation())) break;
      if (c == '\\') {
        take(word);
        if (pos_ < text_.size()) take(word);
      } else if (!read_quoted(word, 0)) {
        take(word);
      }
    }
    // The digits of "2>&1" belong to the redirection.
    const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    if ((peek() == '>' || peek() == '<') && !word.empty() && std::all_of(word.begin(), word.end(), is_digit)) return;
    if (peek() == '(' && opens_array(word)) {
      advance();
      result_.tokens.push_back({TokenKind::array_begin, word.substr(0, word.size() - 1), line});
    } else if (!word.empty()) {
      result_.tokens.push_back({TokenKind::word, std::move(word), line});
    }
  }

  /// Copies one quoted or bracketed piece whole; false when none starts here.
  bool read_quoted(std::string& word, int depth) {
    constexpr int kDeepest = 100;
    const char c = peek();
    if (depth > kDeepest) return false;
    if (c == '\'') return read_until(word, '\'', false, depth);
    if (c == '"') return read_until(word, '"', true, depth);
    if (c == '`') return read_until(word, '`', false, depth);
    if (c != '$' || (peek(1) != '(' && peek(1) != '{')) return false;
    take(word);
    return peek() == '(' ? read_until(word, ')', true, depth) : read_until(word, '}', true, depth);
  }

  bool read_until(std::string& word, char close, bool nested, int depth) {
    const int line = line_;
    const char open = peek();
    int level = 0;
    take(word);
    while (pos_ < text_.size()) {
      const char c = peek();
      if (c == '\\' && close != '\'') {
        take(word);
        if (pos_ < text_.size()) take(word);
        continue;
      }
      if (c == close && level == 0) {
        take(word);
        return true;
      }
      if (close == ')' && c == open) ++level;
      if (close == ')' && c == close) --level;
      const bool quote_inside = nested && !(close == '"' && (c == '\'' || c == '"'));
      if (!quote_inside || !read_quoted(word, depth + 1)) take(word);
    }
    if (result_.open_quote_line == 0) result_.open_quote_line = line;
    return true;
  }

  void skip_redirection() {
    const bool here_string = text_.substr(pos_, 3) == "<<<";
    const bool here_document = !here_string && text_.substr(pos_, 2) == "<<";
    while (pos_ < text_.size() && std::string_view("<>&").find(peek()) != std::string_view::npos) advance();
    const bool strip_tabs = here_document && peek() == '-';
    if (strip_tabs) advance();
    while (pos_ < text_.size() && is_blank(peek())) advance();
    std::string target;
    while (pos_ < text_.size() && !ends_word(peek())) {
      if (!read_quoted(target, 0)) take(target);
    }
    if (!here_document) return;
    target.erase(
        std::remove_if(target.begin(), target.end(), [](char c) { return c == '\'' || c == '"' || c == '\\'; }),
        target.end());
    if (!target.empty()) here_ends_.push_back({target, strip_tabs});
  }

  void skip_here_documents() {
    for (const auto& [end_word, strip_tabs] : here_ends_) {
      while (pos_ < text_.size()) {
        const std::size_t end = std::min(text_.find('\n', pos_), text_.size());
        std::string_view content = text_.substr(pos_, end - pos_);
        while (strip_tabs && !content.empty() && content.front() == '\t') content.remove_prefix(1);
        pos_ = std::min(end + 1, text_.size());
        ++line_;
        if (content == end_word) break;
      }
    }
    here_ends_.clear();
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  int line_;
  std::vector<std::pair<std::string, bool>> here_ends_;
  ShellTokens result_;
};

}  // namespace

ShellTokens shell_tokens(std::string_view text, int first_line) { return Lexer(text, first_line).run(); }

}  // namespace shardsim::input::megatron
