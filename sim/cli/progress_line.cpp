#include "sim/cli/progress_line.hpp"

#include <unistd.h>

#include <iostream>
#include <utility>

namespace shardsim::cli {

ProgressLine::ProgressLine(std::string what) : what_{std::move(what)}, shows_{::isatty(STDERR_FILENO) == 1} {}

void ProgressLine::show(double share) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  if (!shows_ || elapsed.count() < 1.0 || share <= 0.0) return;
  const auto left = static_cast<long>(elapsed.count() * (1.0 - share) / share + 0.5);
  std::string line =
      what_ + ": " + std::to_string(static_cast<int>(100.0 * share)) + " %, " + std::to_string(left) + " s left";
  const std::size_t length = line.size();
  if (length < shown_) line.append(shown_ - length, ' ');
  shown_ = length;
  std::cerr << '\r' << line << std::flush;
}

void ProgressLine::clear() {
  if (shown_ > 0) std::cerr << '\r' << std::string(shown_, ' ') << '\r' << std::flush;
  shown_ = 0;
}

}  // namespace shardsim::cli
