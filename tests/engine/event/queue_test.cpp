#include "sim/engine/event/queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace shardsim::engine::event {
namespace {

TEST(Queue, PopsByTimeThenByOrderOfPushing) {
  Queue<int> queue;
  queue.push(5, 0);
  queue.push(3, 1);
  queue.push(5, 2);
  queue.push(3, 3);
  queue.push(0, 4);
  std::vector<std::pair<std::int64_t, int>> popped;
  while (!queue.empty()) {
    const auto event = queue.pop();
    popped.emplace_back(event.time, event.payload);
  }
  EXPECT_EQ(popped, (std::vector<std::pair<std::int64_t, int>>{{0, 4}, {3, 1}, {3, 3}, {5, 0}, {5, 2}}));
  EXPECT_EQ(queue.popped(), 5U);
}

TEST(Queue, RefusesThePastAndAnEmptyPop) {
  Queue<int> queue;
  EXPECT_THROW(queue.pop(), Bug);
  queue.push(7, 0);
  queue.push(9, 0);
  (void)queue.pop();
  EXPECT_THROW(queue.push(6, 0), Bug);
  queue.push(7, 1);
  EXPECT_EQ(queue.pop().payload, 1);
}

TEST(Queue, HoldsTheLargestTimes) {
  Queue<int> queue;
  queue.push(std::numeric_limits<std::int64_t>::max(), 1);
  queue.push(1, 0);
  EXPECT_EQ(queue.pop().time, 1);
  EXPECT_EQ(queue.pop().time, std::numeric_limits<std::int64_t>::max());
}

// Against a stable sort, pushes and pops mixed, times on scales from picoseconds to hours and often equal.
TEST(Queue, EqualsAStableSort) {
  std::mt19937_64 random{1};
  for (int round = 0; round < 50; ++round) {
    Queue<int> queue;
    std::vector<std::pair<std::int64_t, int>> waiting;
    std::int64_t now = 0;
    for (int i = 0; i < 2000; ++i) {
      if (waiting.empty() || random() % 5 < 3) {
        const std::uint64_t later = (random() >> (random() % 64)) % (std::uint64_t{1} << 52);
        const std::int64_t time = now + static_cast<std::int64_t>(later);
        queue.push(time, i);
        waiting.emplace_back(time, i);
        continue;
      }
      const auto next = std::min_element(waiting.begin(), waiting.end());
      const auto event = queue.pop();
      ASSERT_EQ(event.time, next->first);
      ASSERT_EQ(event.payload, next->second);
      now = event.time;
      waiting.erase(next);
    }
  }
}

}  // namespace
}  // namespace shardsim::engine::event
