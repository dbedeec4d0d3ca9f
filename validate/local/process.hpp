// Running programs that must end when we do.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "sim/base/units.hpp"

namespace shardsim::validate::local {

/// While one lives, Ctrl-C (and SIGTERM) is noted instead of ending the process.
class InterruptNoted {
 public:
  InterruptNoted();
  ~InterruptNoted();
  InterruptNoted(const InterruptNoted&) = delete;
  InterruptNoted& operator=(const InterruptNoted&) = delete;
  [[nodiscard]] static bool interrupted();

 private:
  struct sigaction on_interrupt_ {};
  struct sigaction on_termination_ {};
};

struct Finished {
  enum class How { exited, killed, took_too_long, interrupted };
  How how = How::exited;
  /// The exit code, or the signal that killed it.
  int code = 0;
  std::string out;
  std::string err;
  /// Largest resident set of it or of any process that it started and waited for.
  Bytes peak_resident{0};
  Seconds wall{0.0};
  /// Cores that others kept busy meanwhile, on average.
  double others = 0.0;
  [[nodiscard]] bool succeeded() const { return how == How::exited && code == 0; }
};

/// Runs `command` in a process group of its own, without standard input. It is ended (SIGTERM, then SIGKILL) when it
/// takes longer than `limit`, when an interrupt is noted, and when this process dies. Throws InputError where it cannot
/// be started.
[[nodiscard]] Finished run_program(const std::vector<std::string>& command, Seconds limit);

/// "exit code 70", "killed by signal 9", "took longer than …", with the last line of standard error.
[[nodiscard]] std::string describe_failure(const Finished& finished);

}  // namespace shardsim::validate::local
