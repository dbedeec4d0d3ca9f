// Running a program as a user's shell would.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace shardsim::test {

struct Outcome {
  /// 128 + signal when it was killed.
  int code = -1;
  std::string out;
  std::string err;
  std::chrono::duration<double> wall{};
  /// Peak resident memory, bytes.
  std::int64_t resident = 0;
};

/// Runs `command` through sh in the repository's root, with `input` as its standard input.
[[nodiscard]] Outcome run_shell(const std::string& command, const std::string& input = "");

/// The same for `shardsim <arguments>` of this build.
[[nodiscard]] Outcome run_shardsim(const std::string& arguments, const std::string& input = "");

/// The path of this build's shardsim.
[[nodiscard]] std::string shardsim_path();

}  // namespace shardsim::test
