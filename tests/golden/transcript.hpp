// Commands and what they print, as documents show them:
//   $ ./run list clusters
//     a100-dgx  ...
//   $ ./run predict --megatron train.sh
//   [exit code 3]
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardsim::golden {

struct Step {
  /// 1-based line of the command.
  int line = 0;
  std::string command;
  /// Everything up to the next command: standard output, and "[exit code N]" where N is not 0.
  std::string output;
};

/// A golden file: all of it.
[[nodiscard]] std::vector<Step> steps_of_file(std::string_view text);

/// A Markdown document: the blocks fenced as ```console.
[[nodiscard]] std::vector<Step> steps_of_markdown(std::string_view text);

/// The golden file's text with other outputs; `steps` as from steps_of_file.
[[nodiscard]] std::string to_text(const std::vector<Step>& steps);

/// Equal, where a line "..." of the expected text stands for any number of lines.
[[nodiscard]] bool matches(std::string_view expected, std::string_view actual);

}  // namespace shardsim::golden
