#include <benchmark/benchmark.h>

#include <cstdint>

#include "sim/engine/event/queue.hpp"

namespace shardsim::benchmarks {
namespace {

/// The hold model (Jones 1986): every popped event pushes one, at a random later time; the queue keeps its size.
void hold(benchmark::State& state) {
  engine::event::Queue<std::uint64_t> queue;
  std::uint64_t random = 1;
  const auto later = [&random] {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>(random >> 30U);  // up to 17 ms in picoseconds
  };
  for (std::int64_t i = 0; i < state.range(0); ++i) queue.push(later(), 0);
  for (auto _ : state) {
    const auto event = queue.pop();
    queue.push(event.time + later(), event.payload + 1);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(queue.popped()));
}
/// The bar: 10 million events a second.
BENCHMARK(hold)->Arg(16)->Arg(512)->Arg(12544)->Arg(100352);

}  // namespace
}  // namespace shardsim::benchmarks
