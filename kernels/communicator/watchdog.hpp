// Ends a rank that waits for others longer than is sane: MPI itself would wait for ever.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "sim/base/units.hpp"

namespace shardsim::kernels {

/// Watches one thread from another. Quick to arm: a lock and a look at the clock.
class Watchdog {
 public:
  /// `expired` is called once, on the watchdog's thread, with what was waited for: "waited 60 s …". It should not
  /// return to a job that goes on.
  Watchdog(Seconds timeout, std::function<void(const std::string&)> expired);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  /// Counts from the next wait on. 0: never expires.
  void set_timeout(Seconds timeout);

  /// While it lives the watched thread waits. `describe` tells for what, and is called only when that takes too long.
  /// Inside another wait it changes nothing: the outer one knows better what it is about.
  class Wait {
   public:
    Wait(Watchdog& watchdog, std::function<std::string()> describe);
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait();

   private:
    Watchdog* watchdog_;
    std::function<std::string()> describe_;
    bool outermost_;
  };

 private:
  using Clock = std::chrono::steady_clock;

  void watch();
  [[nodiscard]] bool late() const;

  std::function<void(const std::string&)> expired_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::duration<double> timeout_;
  const std::function<std::string()>* waiting_ = nullptr;
  Clock::time_point since_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace shardsim::kernels
