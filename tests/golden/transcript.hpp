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

/// The text with another output of one of its steps; from the last step to the first, so that lines stay in place.
[[nodiscard]] std::string with_output(std::string_view text, const Step& step, const std::string& output);

/// Equal, where a line "..." of the expected text stands for any number of lines.
[[nodiscard]] bool matches(std::string_view expected, std::string_view actual);

}  // namespace shardsim::golden
