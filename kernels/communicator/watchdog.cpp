#include "kernels/communicator/watchdog.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace shardsim::kernels {

Watchdog::Watchdog(Seconds timeout, std::function<void(const std::string&)> expired)
    : expired_{std::move(expired)}, timeout_{timeout.value()}, thread_{[this] { watch(); }} {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock{mutex_};
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::set_timeout(Seconds timeout) {
  const std::lock_guard lock{mutex_};
  timeout_ = std::chrono::duration<double>{timeout.value()};
  changed_.notify_one();
}

bool Watchdog::late() const {
  return waiting_ != nullptr && timeout_.count() > 0.0 && Clock::now() - since_ > timeout_;
}

void Watchdog::watch() {
  constexpr std::chrono::duration<double> kLongestPause{0.25};
  std::unique_lock lock{mutex_};
  while (!stop_) {
    if (late()) {
      std::ostringstream text;
      text << "waited " << timeout_.count() << " s " << (*waiting_)();
      expired_(text.str());
      return;
    }
    const auto pause = timeout_.count() > 0.0 ? std::min(kLongestPause, timeout_ / 4) : kLongestPause;
    changed_.wait_for(lock, pause);
  }
}

Watchdog::Wait::Wait(Watchdog& watchdog, std::function<std::string()> describe)
    : watchdog_{&watchdog}, describe_{std::move(describe)} {
  const std::lock_guard lock{watchdog_->mutex_};
  outermost_ = watchdog_->waiting_ == nullptr;
  if (!outermost_) return;
  watchdog_->waiting_ = &describe_;
  watchdog_->since_ = Clock::now();
}

Watchdog::Wait::~Wait() {
  if (!outermost_) return;
  const std::lock_guard lock{watchdog_->mutex_};
  watchdog_->waiting_ = nullptr;
}

}  // namespace shardsim::kernels
