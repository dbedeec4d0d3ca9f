// What every command of `shardsim` is made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardsim::cli {

enum ExitCode : int { kSuccess = 0, kBadInput = 2, kDoesNotFit = 3, kBug = 70, kInterrupted = 130 };

/// The words after the command's name.
using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view summary;
  /// Returns the exit code; throws InputError for what the user got wrong.
  int (*run)(const Arguments& arguments);
};

/// In the order in which they are shown.
[[nodiscard]] const std::vector<Command>& commands();

/// Throws InputError, with the nearest known name, when there is no such command.
[[nodiscard]] const Command& find_command(std::string_view name);

/// Throws InputError for a mistake on the command line itself: "message; see shardsim <command> --help".
[[noreturn]] void usage_error(std::string_view command, const std::string& message);

/// " (did you mean x?)" for the nearest of `known`, or nothing when none is near.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace shardsim::cli
