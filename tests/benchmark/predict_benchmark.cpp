#include <benchmark/benchmark.h>

#include <sstream>

#include "sim/engine/closed_form.hpp"
#include "sim/report/report.hpp"
#include "tests/benchmark/gpt3.hpp"

namespace shardsim::benchmarks {
namespace {

/// The bar: under 50 us.
void predict(benchmark::State& state) {
  const model::Scenario scenario = input::resolve(gpt3_settings());
  for (auto _ : state) benchmark::DoNotOptimize(engine::predict(scenario));
}
BENCHMARK(predict)->Unit(benchmark::kMicrosecond);

void resolve(benchmark::State& state) {
  const input::Settings settings = gpt3_settings();
  for (auto _ : state) benchmark::DoNotOptimize(input::resolve(settings));
}
BENCHMARK(resolve)->Unit(benchmark::kMicrosecond);

void resolve_predict_and_report(benchmark::State& state) {
  const input::Settings settings = gpt3_settings();
  for (auto _ : state) {
    const model::Scenario scenario = input::resolve(settings);
    std::ostringstream text;
    report::write_json(text, scenario, engine::predict(scenario), {});
    benchmark::DoNotOptimize(text.str());
  }
}
BENCHMARK(resolve_predict_and_report)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace shardsim::benchmarks
