// Megatron-LM: megatron/training/training.py (training_log), megatron/training/utils.py (report_memory).
#include "validate/log/fields.hpp"
#include "validate/log/reader.hpp"

namespace shardsim::validate::log {
namespace {

constexpr double kMebibyte = 0x1p20;

std::optional<Bytes> mebibytes_after(std::string_view line, std::string_view label) {
  const auto number = number_after(line, label);
  // No device has 2^26 MiB.
  if (!number || !(*number > 0.0 && *number < 0x1p26)) return std::nullopt;
  return rounded_bytes(*number * kMebibyte);
}

/// "[Rank 3] (after 1 iterations) memory (MB) | allocated: … | max allocated: … | reserved: … | max reserved: …"; until
/// PyTorch 1.3 "cached" and "max cached". Ranks may share a line.
bool read_memory(std::string_view line, int number, TrainingLog& log) {
  constexpr std::string_view kMark = "memory (MB)";
  bool found = false;
  for (std::size_t at = line.find(kMark); at != std::string_view::npos;) {
    const std::size_t rank_at = line.rfind("[Rank ", at);
    const std::size_t next = line.find(kMark, at + kMark.size());
    const std::size_t end = next == std::string_view::npos ? line.size() : line.rfind("[Rank ", next);
    const std::string_view part = line.substr(at, end > at ? end - at : std::string_view::npos);
    MemoryPeak peak;
    peak.line = number;
    if (rank_at != std::string_view::npos) peak.rank = integer_after(line.substr(rank_at, at - rank_at), "[Rank ");
    peak.allocated = mebibytes_after(part, "max allocated:");
    peak.reserved = mebibytes_after(part, "max reserved:");
    if (!peak.reserved) peak.reserved = mebibytes_after(part, "max cached:");
    add_memory(peak, log);
    found = true;
    at = next;
  }
  return found;
}

bool read_pause(std::string_view line, int number, TrainingLog& log) {
  if (contains(line, "saving checkpoint at iteration") || contains(line, "saved checkpoint")) {
    log.pauses.push_back({number, Pause::checkpoint});
    return true;
  }
  if (contains(line, "validation loss at")) {
    log.pauses.push_back({number, Pause::evaluation});
    return true;
  }
  return false;
}

}  // namespace

bool read_megatron_line(std::string_view line, int number, TrainingLog& log) {
  if (read_memory(line, number, log) || read_pause(line, number, log)) return true;
  const auto iteration = integer_after(line, "iteration ");
  if (!iteration || !contains(line, "elapsed time per iteration (")) return false;
  Iteration entry;
  entry.line = number;
  entry.number = *iteration;
  entry.seconds = number_after(line, "elapsed time per iteration (s):");
  if (const auto milliseconds = number_after(line, "elapsed time per iteration (ms):")) {
    entry.seconds = *milliseconds / 1e3;
  }
  if (!entry.seconds) return false;
  entry.tflops_per_gpu = number_after(line, "throughput per GPU (TFLOP/s/GPU):");
  entry.global_batch_size = integer_after(line, "global batch size:");
  add_iteration(entry, log);
  return true;
}

}  // namespace shardsim::validate::log
