// Ctrl-C is noted instead of ending the program at once.
#pragma once

namespace shardsim::cli {

/// While one lives.
class InterruptNoted {
 public:
  InterruptNoted();
  InterruptNoted(const InterruptNoted&) = delete;
  InterruptNoted& operator=(const InterruptNoted&) = delete;
  InterruptNoted(InterruptNoted&&) = delete;
  InterruptNoted& operator=(InterruptNoted&&) = delete;
  ~InterruptNoted();

  /// Since the program began.
  [[nodiscard]] static bool was_interrupted();

 private:
  void (*before_)(int);
};

}  // namespace shardsim::cli
