// nanotron: src/nanotron/trainer.py (train_step_logs), src/nanotron/logging (human_format, log_memory); the
// configuration is printed as nested Python dataclasses (src/nanotron/config).
#include <array>
#include <utility>

#include "validate/log/fields.hpp"
#include "validate/log/reader.hpp"

namespace shardsim::validate::log {
namespace {

/// "[INFO|DP=0|PP=1|TP=0|node-3]"
std::optional<std::int64_t> stage_of(std::string_view line) { return integer_after(line, "|PP="); }

/// " Memory usage: 64.15MiB. Peak allocated 309.29MiB. Peak reserved: 496.00MiB"
bool read_memory(std::string_view line, int number, TrainingLog& log) {
  const std::string_view allocated = after(line, "Peak allocated");
  if (allocated.empty() || !contains(line, "Memory usage:")) return false;
  MemoryPeak peak;
  peak.line = number;
  peak.stage = stage_of(line);
  if (const auto size = leading_size(allocated)) peak.allocated = size->bytes;
  if (const auto size = leading_size(after(line, "Peak reserved:"))) peak.reserved = size->bytes;
  add_memory(peak, log);
  return true;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kFields{{
    {"num_hidden_layers=", "model.num_layers"},
    {"hidden_size=", "model.hidden_size"},
    {"num_attention_heads=", "model.num_attention_heads"},
    {"num_key_value_heads=", "model.num_query_groups"},
    {"intermediate_size=", "model.ffn_hidden_size"},
    {"sequence_length=", "model.seq_length"},
    {"vocab_size=", "model.vocab_size"},
    {"micro_batch_size=", "training.micro_batch_size"},
    {"zero_stage=", "parallelism.zero_stage"},
    {"dp=", "parallelism.data_parallel_size"},
    {"pp=", "parallelism.pipeline_model_parallel_size"},
    {"tp=", "parallelism.tensor_model_parallel_size"},
}};

/// One field a line: "parallelism=ParallelismArgs(dp=2," or "  hidden_size=2048,".
bool read_configuration(std::string_view line, int number, TrainingLog& log) {
  for (const auto& [field, key] : kFields) {
    const std::size_t at = line.find(field);
    const bool whole_name = at != std::string_view::npos && at > 0 && (line[at - 1] == ' ' || line[at - 1] == '(');
    if (!whole_name) continue;
    if (const auto value = integer_after(line, field); value && *value >= 0) {
      add_setting(key, std::to_string(*value), number, log);
      return true;
    }
  }
  if (contains(line, "tie_word_embeddings=")) {
    const bool tied = contains(line, "tie_word_embeddings=True");
    add_setting("model.output_weights", tied ? "tied" : "untied", number, log);
    return true;
  }
  return false;
}

}  // namespace

bool read_nanotron_line(std::string_view line, int number, TrainingLog& log) {
  if (read_memory(line, number, log)) return true;
  const auto milliseconds = short_number_after(line, "elapsed_time_per_iteration_ms:");
  const auto iteration = integer_after(line, "iteration:");
  if (!milliseconds || !iteration) return read_configuration(line, number, log);
  Iteration entry;
  entry.line = number;
  entry.number = *iteration;
  entry.seconds = *milliseconds / 1e3;
  entry.tflops_per_gpu = short_number_after(line, "model_tflops_per_gpu:");
  // Three digits: "1.02K" is 1,024; the configuration has it exactly.
  if (const auto batch = short_number_after(line, "global_batch_size:"); batch && *batch < 1000.0) {
    entry.global_batch_size = static_cast<std::int64_t>(*batch);
  }
  add_iteration(entry, log);
  return true;
}

}  // namespace shardsim::validate::log
