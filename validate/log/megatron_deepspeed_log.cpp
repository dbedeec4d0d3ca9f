// Megatron-DeepSpeed (microsoft, bigscience): megatron/training.py (training_log); DeepSpeed:
// deepspeed/utils/timer.py (ThroughputTimer).
#include "validate/log/fields.hpp"
#include "validate/log/reader.hpp"

namespace shardsim::validate::log {

bool read_megatron_deepspeed_line(std::string_view line, int number, TrainingLog& log) {
  // "… CurrSamplesPerSec=61.35, MemAllocated=6.01GB, MaxMemAllocated=19.52GB": bytes over 1,024³.
  if (const std::string_view text = after(line, "MaxMemAllocated="); !text.empty()) {
    if (const auto size = leading_size(text)) {
      MemoryPeak peak;
      peak.line = number;
      peak.rank = 0;
      peak.allocated = size->bytes;
      add_memory(peak, log);
    }
    return true;
  }
  const std::size_t before = log.iterations.size();
  if (!read_megatron_line(line, number, log)) return false;
  if (log.iterations.size() == before) return true;
  if (!contains(line, "samples per second:") || !contains(line, "TFLOPs:")) {
    log.iterations.pop_back();
    return false;
  }
  Iteration& entry = log.iterations.back();
  entry.tflops_per_gpu = number_after(line, "TFLOPs:");
  // Curriculum learning lengthens the sequences during the run.
  entry.seq_length = integer_after(line, "actual seqlen:");
  return true;
}

}  // namespace shardsim::validate::log
