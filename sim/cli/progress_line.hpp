// How far a long command is, on a terminal.
#pragma once

#include <chrono>
#include <string>

namespace shardsim::cli {

/// One line on standard error if that is a terminal, from the first second on: share done and time left.
class ProgressLine {
 public:
  /// "playing", "searching".
  explicit ProgressLine(std::string what);
  void show(double share);
  void clear();

 private:
  std::string what_;
  bool shows_;
  std::size_t shown_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace shardsim::cli
