#include "kernels/communicator/watchdog.hpp"

#include <gtest/gtest.h>

#include <future>

namespace shardsim::kernels {
namespace {

using namespace std::chrono_literals;

TEST(Watchdog, TellsWhatWasWaitedFor) {
  std::promise<std::string> told;
  Watchdog watchdog{Seconds{0.02}, [&](const std::string& what) { told.set_value(what); }};
  const Watchdog::Wait wait{watchdog, [] { return std::string("for rank 2"); }};
  std::future<std::string> text = told.get_future();
  ASSERT_EQ(text.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(text.get(), "waited 0.02 s for rank 2");
}

// The inner wait of a communicator's communicator knows less than the outer one.
TEST(Watchdog, OuterWaitsSpeakForInnerOnes) {
  std::promise<std::string> told;
  Watchdog watchdog{Seconds{0.02}, [&](const std::string& what) { told.set_value(what); }};
  const Watchdog::Wait outer{watchdog, [] { return std::string("outside"); }};
  const Watchdog::Wait inner{watchdog, [] { return std::string("inside"); }};
  EXPECT_EQ(told.get_future().get(), "waited 0.02 s outside");
}

// Many short waits are no long one; nor is the time between waits, nor is any wait too long without a timeout.
TEST(Watchdog, StaysQuietWhileThereIsProgress) {
  bool told = false;
  {
    Watchdog watchdog{Seconds{5.0}, [&](const std::string&) { told = true; }};
    for (int i = 0; i < 1000; ++i) const Watchdog::Wait wait{watchdog, [] { return std::string(); }};
    watchdog.set_timeout(Seconds{0.01});
    std::this_thread::sleep_for(50ms);
    watchdog.set_timeout(Seconds{0.0});
    const Watchdog::Wait wait{watchdog, [] { return std::string(); }};
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace shardsim::kernels
