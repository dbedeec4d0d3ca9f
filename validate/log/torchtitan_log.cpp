// torchtitan: torchtitan/components/metrics.py (MetricsProcessor.log), torchtitan/train.py ("Training starts at step"),
// torchtitan/distributed/parallel_dims.py ("Building device mesh with parallelism").
#include <array>
#include <cmath>
#include <utility>

#include "validate/log/fields.hpp"
#include "validate/log/reader.hpp"

namespace shardsim::validate::log {
namespace {

void set_integer(std::string_view line, std::string_view label, std::string_view key, int number, TrainingLog& log) {
  const auto value = integer_after(line, label);
  if (value && *value > 0) add_setting(key, std::to_string(*value), number, log);
}

/// "… with local batch size 1, global batch size 8, gradient accumulation steps 1, sequence length 8192, total steps …"
bool read_batches(std::string_view line, int number, TrainingLog& log) {
  if (!contains(line, "local batch size") || !contains(line, "global batch size")) return false;
  set_integer(line, "local batch size", "training.micro_batch_size", number, log);
  set_integer(line, "global batch size", "training.global_batch_size", number, log);
  set_integer(line, "sequence length", "model.seq_length", number, log);
  return true;
}

/// "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=2, cp=1, tp=1, ep=1". One replica: FSDP over
/// all of data parallelism.
bool read_mesh(std::string_view line, int number, TrainingLog& log) {
  if (!contains(line, "device mesh with parallelism:")) return false;
  set_integer(line, "pp=", "parallelism.pipeline_model_parallel_size", number, log);
  set_integer(line, "cp=", "parallelism.context_parallel_size", number, log);
  set_integer(line, " tp=", "parallelism.tensor_model_parallel_size", number, log);
  const auto replicas = integer_after(line, "dp_replicate=");
  const auto shards = integer_after(line, "dp_shard=");
  constexpr std::int64_t kMost = 1 << 22;
  if (replicas && shards && *replicas > 0 && *shards > 0 && *replicas < kMost && *shards < kMost) {
    add_setting("parallelism.data_parallel_size", std::to_string(*replicas * *shards), number, log);
    if (*replicas > 1) {
      add_setting("parallelism.num_distributed_optimizer_instances", std::to_string(*replicas), number, log);
    }
  }
  return true;
}

/// "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.10GiB memory"
bool read_capacity(std::string_view line, TrainingLog& log) {
  if (!contains(line, "capacity: ")) return false;
  const std::size_t with = line.rfind(" with ");
  if (with == std::string_view::npos || !contains(line, "GiB memory")) return false;
  if (const auto size = leading_size(after(line.substr(with), "with"))) log.device_capacity = size->bytes;
  return true;
}

}  // namespace

bool read_torchtitan_line(std::string_view line, int number, TrainingLog& log) {
  if (contains(line, "validate step:")) {
    log.pauses.push_back({number, Pause::evaluation});
    return true;
  }
  if (contains(line, "Finished saving the checkpoint")) {
    log.pauses.push_back({number, Pause::checkpoint});
    return true;
  }
  const auto step = integer_after(line, "step:");
  auto rate = number_after(line, " tps:");
  // Until 2025 "words".
  if (!rate) rate = number_after(line, " wps:");
  if (!step || !rate) {
    return read_batches(line, number, log) || read_mesh(line, number, log) || read_capacity(line, log);
  }
  Iteration entry;
  entry.line = number;
  entry.number = *step;
  entry.tokens_per_s_per_gpu = *rate;
  entry.tflops_per_gpu = number_after(line, " tflops:");
  add_iteration(entry, log);
  if (const auto size = leading_size(after(line, "memory:"))) {
    MemoryPeak peak;
    peak.line = number;
    peak.reserved = size->bytes;
    add_memory(peak, log);
  }
  return true;
}

}  // namespace shardsim::validate::log
