#include "sim/report/csv.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>

#include "sim/model/enum_text.hpp"
#include "sim/model/parameters.hpp"
#include "sim/report/report.hpp"
#include "sim/report/summary.hpp"

namespace shardsim::report {
namespace {

/// As many digits as tell the number from every other; empty when it is not finite.
std::string number(double value) {
  if (!std::isfinite(value)) return {};
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}
std::string number(std::int64_t value) { return std::to_string(value); }
std::string number(Bytes value) { return std::to_string(value.value()); }
std::string number(Seconds value) { return number(value.value()); }

/// Quoted, with quotes doubled (RFC 4180).
std::string quoted(std::string_view text) {
  std::string field = "\"";
  for (const char c : text) {
    field += c;
    if (c == '"') field += c;
  }
  return field + "\"";
}

}  // namespace

Columns csv_columns(const model::Scenario& scenario, const engine::Prediction& prediction) {
  const memory::Memory& memory = prediction.memory;
  const memory::StageMemory& worst = memory.worst();
  const model::Parallelism& parallelism = scenario.parallelism;
  return {{"name", quoted(scenario.name)},
          {"gpus", number(scenario.gpus)},
          {"parameters", number(model::total_parameters(scenario))},
          {"tensor_model_parallel_size", number(parallelism.tensor_model_parallel_size)},
          {"pipeline_model_parallel_size", number(parallelism.pipeline_model_parallel_size)},
          {"context_parallel_size", number(parallelism.context_parallel_size)},
          {"data_parallel_size", number(parallelism.data_parallel_size)},
          {"zero_stage", std::to_string(parallelism.zero_stage)},
          {"micro_batch_size", number(scenario.training.micro_batch_size)},
          {"global_batch_size", number(scenario.training.global_batch_size)},
          {"stack", quoted(scenario.stack.name)},
          {"cluster", quoted(scenario.cluster.name)},
          {"iteration_s", number(prediction.iteration)},
          {"iteration_s_p10", number(prediction.iteration_p10)},
          {"iteration_s_p90", number(prediction.iteration_p90)},
          {"tokens_per_s", number(prediction.tokens_per_s)},
          {"model_tflops_per_gpu", number(prediction.model_flops_per_gpu.value() / 1e12)},
          {"hardware_tflops_per_gpu", number(prediction.hardware_flops_per_gpu.value() / 1e12)},
          {"mfu", number(prediction.mfu)},
          {"hfu", number(prediction.hfu)},
          {"mfu_causal", number(causal_mfu(prediction))},
          {"peak_tflops", number(matrix_peak(scenario).value() / 1e12)},
          {"peak_format", std::string(model::choice_text(scenario.training.precision))},
          {"peak_allocated_bytes", number(worst.peak_allocated)},
          {"peak_reserved_bytes", number(worst.peak_reserved)},
          {"device_used_bytes", number(worst.device_used)},
          {"device_total_bytes", number(memory.device_total)},
          {"fits", memory.fits() ? "true" : "false"},
          {"margin_bytes", number(memory.margin())},
          {"out_of_memory_probability", number(memory.out_of_memory_probability)},
          {"worst_stage", number(memory.worst_stage)}};
}

std::string csv_number(double value) { return number(value); }

void write_csv_rows(std::ostream& out, const std::vector<Columns>& rows) {
  for (const Columns& row : rows) {
    std::string header;
    std::string line;
    for (const auto& [name, value] : row) {
      const char* separator = header.empty() ? "" : ",";
      header += separator + std::string(name);
      line += separator + value;
    }
    if (&row == rows.data()) out << header << '\n';
    out << line << '\n';
  }
}

void write_csv(std::ostream& out, const model::Scenario& scenario, const engine::Prediction& prediction,
               const std::vector<plan::Change>& /*changes*/) {
  write_csv_rows(out, {csv_columns(scenario, prediction)});
}

}  // namespace shardsim::report
