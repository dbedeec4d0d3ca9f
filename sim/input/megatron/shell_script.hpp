// A shell script as the commands that it would run, read without running anything.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/input/megatron/shell_lexer.hpp"
#include "sim/input/megatron/shell_variables.hpp"

namespace shardsim::input::megatron {

struct Command {
  std::vector<Text> words;
};

struct ShellFunction {
  std::vector<Token> body;
  bool called = false;
};

struct ShellScript {
  std::vector<Command> commands;
  ShellVariables variables;
  std::map<std::string, ShellFunction> functions;
  int calls = 0;
  /// Names in the order of their last assignment.
  std::vector<std::string> assigned;
  /// Branches and loops that could only be read in part.
  std::vector<std::string> warnings;
  int open_quote_line = 0;
};

/// Follows `if`, `case`, `&&` and `||` where the condition can be decided from the text (unset variables count as
/// empty); of loops the body is read once, of functions at each call, with its arguments. `preset` are variables that
/// the batch system sets.
[[nodiscard]] ShellScript read_shell_script(std::string_view text, const std::map<std::string, std::string>& preset);

/// The commands of a text that the script hands to another shell (bash -c '…').
[[nodiscard]] std::vector<Command> read_shell_commands(const std::string& text, int line, ShellScript& script);

}  // namespace shardsim::input::megatron
