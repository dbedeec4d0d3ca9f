// A block of GPU threads played by CPU threads: the same row functor, the same strides and reductions.
#pragma once

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace shardsim::kernels::gpu {

/// What the threads of one block share.
struct LaneBoard {
  explicit LaneBoard(std::size_t lanes) : values(lanes), meeting(static_cast<std::ptrdiff_t>(lanes)) {}
  std::vector<float> values;
  std::barrier<> meeting;
};

class ThreadLanes {
 public:
  ThreadLanes(LaneBoard& board, std::size_t index) : board_{board}, index_{index} {}
  [[nodiscard]] std::int64_t index() const { return static_cast<std::int64_t>(index_); }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(board_.values.size()); }
  [[nodiscard]] float sum(float value) {
    return reduce(value, [](float a, float b) { return a + b; });
  }
  [[nodiscard]] float maximum(float value) {
    return reduce(value, [](float a, float b) { return std::max(a, b); });
  }

 private:
  template <class Combine>
  float reduce(float value, Combine combine) {
    board_.values[index_] = value;
    board_.meeting.arrive_and_wait();
    float result = board_.values[0];
    for (std::size_t i = 1; i < board_.values.size(); ++i) result = combine(result, board_.values[i]);
    board_.meeting.arrive_and_wait();  // all have read before anyone writes again
    return result;
  }

  LaneBoard& board_;
  std::size_t index_;
};

/// Runs a row functor as a grid of `rows` blocks of `lanes` threads would.
template <class Functor>
void run_rows(std::int64_t rows, std::size_t lanes, const Functor& functor) {
  LaneBoard board{lanes};
  std::vector<std::thread> threads;
  threads.reserve(lanes);
  for (std::size_t i = 0; i < lanes; ++i) {
    threads.emplace_back([&, i] {
      ThreadLanes mine{board, i};
      for (std::int64_t row = 0; row < rows; ++row) functor(row, mine);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace shardsim::kernels::gpu
