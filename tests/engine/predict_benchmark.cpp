// Time of one prediction: a 96-layer GPT on 512 GPUs, TP8 PP8 DP8 with two chunks a stage.
#include <benchmark/benchmark.h>

#include "sim/engine/closed_form.hpp"
#include "tests/engine/example_scenarios.hpp"

namespace shardsim::engine {
namespace {

void predict_96_layers(benchmark::State& state) {
  model::Scenario scenario = example_scenario();
  scenario.model.num_layers = 96;
  scenario.parallelism.virtual_pipeline_model_parallel_size = 2;
  scenario.parallelism.schedule = model::Schedule::interleaved_one_f_one_b;
  scenario.training.recompute.granularity = model::RecomputeGranularity::full;
  divide(scenario, 8, state.range(0), 8, 64);
  for (auto _ : state) benchmark::DoNotOptimize(predict(scenario));
}
BENCHMARK(predict_96_layers)->Arg(8)->Arg(48)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace shardsim::engine
