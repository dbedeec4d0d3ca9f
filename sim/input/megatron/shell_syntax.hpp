// Forms of the shell's grammar that are recognised in words and tokens.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/input/megatron/shell_lexer.hpp"

namespace shardsim::input::megatron {

/// Where the "=" of NAME=value or NAME+=value stands; npos when the word is no assignment.
[[nodiscard]] std::size_t assignment_at(const std::string& word);

struct FunctionDefinition {
  std::string name;
  std::vector<Token> body;
  /// The first token behind it.
  std::size_t end = 0;
};

/// NAME() { … } or function NAME { … }, when it begins at `at`.
[[nodiscard]] std::optional<FunctionDefinition> function_at(const std::vector<Token>& tokens, std::size_t at);

/// ((NAME = expression)), or without a name a condition.
struct ArithmeticCommand {
  std::string assigned;
  std::string expression;
};
[[nodiscard]] ArithmeticCommand arithmetic_parts(const std::string& word);

}  // namespace shardsim::input::megatron
