// What every shape of input (script, dump, map) is brought to before flags become settings.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardsim::input::megatron {

/// One word of a command line after quotes and variables; 1-based line, 0 = none.
struct Word {
  std::string text;
  int line = 0;
  /// Variables and commands inside whose values the text does not tell.
  std::vector<std::string> unresolved;
};

/// One flag as written ("--batch-size", "batch_size") with its values; no value = a switch turned on.
struct FlagUse {
  std::string written;
  int line = 0;
  std::vector<Word> values;
};

/// Number of processes that the launch starts, one per GPU.
struct LaunchSize {
  std::int64_t gpus = 0;
  int line = 0;
  std::string from;
};

/// A row of a table of test runs.
struct RunRow {
  std::string case_name;
  std::string family;
  std::string platform;
};

struct Given {
  std::vector<FlagUse> flags;
  /// Name of the Python file, "" = not known.
  std::string program;
  std::map<std::string, std::string> environment;
  std::optional<LaunchSize> size;
  std::optional<RunRow> row;
  /// The flags are a complete list of arguments with their defaults (Megatron's dump), not only what a user wrote.
  bool complete = false;
  std::vector<std::string> warnings;
};

/// Words of a command line as flags. Words before the first flag are passed over.
[[nodiscard]] std::vector<FlagUse> group_words(const std::vector<Word>& words);

/// "line 12: " or "" when the line is not known.
[[nodiscard]] std::string at_line(int line);

/// True for --word, not for negative numbers.
[[nodiscard]] bool looks_like_flag(const std::string& text);

}  // namespace shardsim::input::megatron
