#include "validate/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include "sim/engine/closed_form.hpp"
#include "sim/engine/event/predict.hpp"
#include "sim/engine/layer_time.hpp"
#include "sim/input/resolve.hpp"
#include "sim/model/parameters.hpp"

namespace shardsim::validate {
namespace {

/// 90 % quantile of the standard normal distribution.
constexpr double kNormalP90 = 1.2815515655446004;

/// The measured iteration time, from FLOP/s or MFU where the source gives no time.
std::optional<Seconds> measured_time(const Record& record, const model::Scenario& scenario,
                                     const engine::Prediction& prediction) {
  if (record.iteration) return record.iteration;
  const model::IterationFlops flops = model::iteration_flops(scenario);
  const auto from_rate = [&](Flops work, double tflops) {
    return work / FlopsPerSecond{tflops * 1e12 * static_cast<double>(scenario.gpus)};
  };
  if (record.hardware_tflops_per_gpu) return from_rate(flops.hardware, *record.hardware_tflops_per_gpu);
  if (record.model_tflops_per_gpu) return from_rate(flops.model, *record.model_tflops_per_gpu);
  // Utilisation times time is the work over the peak, whatever the time.
  if (record.mfu) return prediction.iteration * (prediction.mfu / *record.mfu);
  return std::nullopt;
}

std::optional<Pair> compare_time(const Record& record, const model::Scenario& scenario,
                                 const engine::Prediction& prediction) {
  const std::optional<Seconds> measured = measured_time(record, scenario, prediction);
  if (!measured || !(measured->value() > 0.0) || !std::isfinite(measured->value())) return std::nullopt;
  if (record.extent == Extent::one_layer) {
    const Seconds layer = engine::layer_time(scenario);
    const double spread = prediction.iteration_p90 / prediction.iteration;
    return Pair{measured->value(), layer.value(), layer.value() / spread, layer.value() * spread};
  }
  return Pair{measured->value(), prediction.iteration.value(), prediction.iteration_p10.value(),
              prediction.iteration_p90.value()};
}

Bytes predicted_memory(const memory::Memory& memory, MemoryKind kind) {
  const auto largest = [&](Bytes memory::StageMemory::*field) {
    Bytes most{0};
    for (const memory::StageMemory& stage : memory.stages) most = std::max(most, stage.*field);
    return most;
  };
  switch (kind) {
    case MemoryKind::allocated_worst:
      return largest(&memory::StageMemory::peak_allocated);
    case MemoryKind::allocated_last:
      return memory.stages.back().peak_allocated;
    case MemoryKind::reserved:
      return largest(&memory::StageMemory::peak_reserved);
    case MemoryKind::device:
      return largest(&memory::StageMemory::device_used);
  }
  return Bytes{0};
}

Pair compare_memory(Bytes measured, const Record& record, const model::Scenario& scenario,
                    const memory::Memory& memory) {
  const double predicted = predicted_memory(memory, record.memory_kind).as_double();
  const double spread = std::exp(kNormalP90 * scenario.stack.error.memory);
  return {measured.as_double(), predicted, predicted / spread, predicted * spread};
}

/// A reason that rows share: without file, line and the row's own values.
std::string shared_reason(const Problem& problem) {
  return problem.key.empty() ? problem.message : problem.key + ": " + problem.message;
}

std::string configuration_text(const input::Settings& settings) {
  std::string text;
  for (const input::Setting& setting : settings.all()) text += setting.key + '=' + setting.value + ';';
  return text;
}

Result identified(const Record& record) {
  Result result;
  result.id = record.id;
  result.source = record.source;
  result.where = record.where;
  result.quality = record.quality;
  result.suspect = record.suspect;
  result.hardware_tflops_per_gpu = record.hardware_tflops_per_gpu;
  return result;
}

}  // namespace

Result evaluate(const Record& record, const model::Scenario& scenario, Engine engine) {
  Result result = identified(record);
  const engine::Prediction prediction =
      engine == Engine::event ? engine::event::predict(scenario) : engine::predict(scenario);
  result.time = compare_time(record, scenario, prediction);
  if (record.memory && *record.memory > Bytes{0}) {
    result.memory = compare_memory(*record.memory, record, scenario, prediction.memory);
  }
  result.outcome = record.outcome;
  result.predicted_iteration_s = prediction.iteration.value();
  result.predicted_fit = prediction.memory.fits();
  return result;
}

Result evaluate(const Record& record, Engine engine) {
  Result skipped = identified(record);
  skipped.skipped = record.unmodelled;
  if (!skipped.skipped.empty()) return skipped;
  try {
    Result result = evaluate(record, input::resolve(record.settings), engine);
    result.configuration = configuration_text(record.settings);
    return result;
  } catch (const InputError& error) {
    skipped.skipped = shared_reason(error.problems().front());
    return skipped;
  }
}

std::vector<Result> evaluate(const std::vector<Record>& records, Engine engine) {
  std::vector<Result> results;
  results.reserve(records.size());
  for (const Record& record : records) results.push_back(evaluate(record, engine));
  return results;
}

}  // namespace shardsim::validate
