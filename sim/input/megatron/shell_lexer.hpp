// Shell text as raw words and operators. Quotes and variables stay in the words; nothing is expanded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardsim::input::megatron {

enum class TokenKind {
  word,
  /// NAME=( or NAME+=(; the words of the array follow, closed by the operator ")".
  array_begin,
  /// newline, ;, ;;, &, &&, |, ||, (, ).
  control
};

struct Token {
  TokenKind kind = TokenKind::word;
  std::string text;
  int line = 0;
};

struct ShellTokens {
  std::vector<Token> tokens;
  /// Line of a quote that never closes; 0 = none.
  int open_quote_line = 0;
};

/// Comments, redirections and here-documents are left out; continued lines are joined.
[[nodiscard]] ShellTokens shell_tokens(std::string_view text, int first_line = 1);

}  // namespace shardsim::input::megatron
