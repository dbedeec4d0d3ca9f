// What a training program's log says: iterations, memory, failures and the configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/problems.hpp"
#include "sim/base/units.hpp"
#include "sim/input/settings.hpp"

namespace shardsim::validate::log {

/// One iteration as the program printed it. Time, or the rate that it follows from.
struct Iteration {
  int line = 0;
  std::int64_t number = 0;
  std::optional<double> seconds;
  std::optional<double> tokens_per_s_per_gpu;
  std::optional<double> tflops_per_gpu;
  std::optional<std::int64_t> global_batch_size;
  std::optional<std::int64_t> seq_length;
};

/// Peaks of PyTorch's allocator on one rank.
struct MemoryPeak {
  int line = 0;
  std::optional<std::int64_t> rank;
  /// Where the line names the stage and not the rank.
  std::optional<std::int64_t> stage;
  std::optional<Bytes> allocated;
  std::optional<Bytes> reserved;
};

/// What makes the next iteration slow.
enum class Pause { checkpoint, evaluation };
struct PauseMark {
  int line = 0;
  Pause pause = Pause::checkpoint;
};

/// PyTorch's message. What it does not give is empty.
struct OutOfMemory {
  int line = 0;
  Bytes tried;
  /// Half of the last printed digit of `tried`.
  Bytes rounding;
  std::optional<std::int64_t> device;
  std::optional<Bytes> capacity;
  std::optional<Bytes> free;
  std::optional<Bytes> allocated;
  std::optional<Bytes> reserved;
  /// Of this process, CUDA context and libraries included.
  std::optional<Bytes> process;
  /// Lines before the message: where in the program it came from.
  std::string traceback;
};

struct TrainingLog {
  std::string file;
  /// "Megatron-LM", "Megatron-DeepSpeed", "NeMo", "nanotron", "torchtitan"; empty where no iteration was found.
  std::string framework;
  std::vector<Iteration> iterations;
  std::vector<MemoryPeak> memory;
  std::vector<PauseMark> pauses;
  std::vector<OutOfMemory> out_of_memory;
  /// What the log says of the job, weaker than what the user says.
  input::Settings settings;
  /// Memory of the GPU, where the log gives it.
  std::optional<Bytes> device_capacity;
  /// Lines whose numbers cannot be.
  std::vector<Problem> impossible;
};

/// Colours, prefixes of srun, torchrun and loggers, Windows line ends and progress bars are read through. Throws
/// InputError where the text holds neither an iteration nor PyTorch's message, or nothing but impossible numbers.
[[nodiscard]] TrainingLog read_training_log(std::string_view text, const std::string& file);

}  // namespace shardsim::validate::log
