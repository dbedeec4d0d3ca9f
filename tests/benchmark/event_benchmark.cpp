#include <benchmark/benchmark.h>

#include "sim/engine/event/predict.hpp"
#include "sim/engine/event/queue.hpp"
#include "sim/memory/memory.hpp"
#include "tests/benchmark/event_runs.hpp"

namespace shardsim::benchmarks {
namespace {

using engine::event::Options;
using engine::event::Replicas;

/// The hold model (Jones 1986): every popped event pushes one, at a random later time; the queue keeps its size.
/// The bar: 10 million events a second.
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
BENCHMARK(hold)->Arg(16)->Arg(512)->Arg(12544)->Arg(100352);

void play(benchmark::State& state, const model::Scenario& scenario, const Options& options) {
  std::uint64_t events = 0;
  for (auto _ : state) {
    const engine::event::Outcome outcome = engine::event::play(scenario, options);
    events += outcome.events;
    benchmark::DoNotOptimize(outcome.prediction.iteration);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
}

/// The bar: 10 ms.
void pp8_96_layers_64_micro_batches(benchmark::State& state) { play(state, gpt3_pp8(), {}); }
BENCHMARK(pp8_96_layers_64_micro_batches)->Unit(benchmark::kMillisecond);

/// The bars: 20 ms, and 5 s with every rank on its own.
void mt_nlg_collapsed(benchmark::State& state) { play(state, preset_run("mt-nlg-530b-420-dgx"), {}); }
BENCHMARK(mt_nlg_collapsed)->Unit(benchmark::kMillisecond);
void mt_nlg_every_rank(benchmark::State& state) {
  Options options;
  options.replicas = Replicas::every_one;
  play(state, preset_run("mt-nlg-530b-420-dgx"), options);
}
BENCHMARK(mt_nlg_every_rank)->Unit(benchmark::kMillisecond);

/// The bars: 100 ms, and 120 s and 8 GB with stragglers.
void gpus_100352_collapsed(benchmark::State& state) { play(state, preset_run("gpt3-175b-100352-gpus"), {}); }
BENCHMARK(gpus_100352_collapsed)->Unit(benchmark::kMillisecond);
void gpus_100352_stragglers(benchmark::State& state) {
  Options options;
  options.variation.stragglers = {{17, 1.15}, {50'000, 1.3}};
  play(state, preset_run("gpt3-175b-100352-gpus"), options);
}
BENCHMARK(gpus_100352_stragglers)->Unit(benchmark::kMillisecond);
void gpus_100352_jitter(benchmark::State& state) {
  Options options;
  options.variation.jitter = 0.03;
  play(state, preset_run("gpt3-175b-100352-gpus"), options);
}
BENCHMARK(gpus_100352_jitter)->Unit(benchmark::kMillisecond);

/// Cost over size: the same job with 1 to 10 times the replicas.
void replicas_of_128_gpus(benchmark::State& state) {
  model::Scenario scenario = preset_run("gpt3-175b-100352-gpus");
  scenario.training.global_batch_size = 64 * state.range(0);
  scenario.parallelism.data_parallel_size = state.range(0);
  scenario.gpus = 128 * state.range(0);
  Options options;
  options.replicas = Replicas::every_one;
  play(state, scenario, options);
  state.SetComplexityN(state.range(0));
}
BENCHMARK(replicas_of_128_gpus)
    ->RangeMultiplier(2)
    ->Range(16, 512)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

}  // namespace
}  // namespace shardsim::benchmarks
