// Readers of single lines, one file per program; they share one interface.
#pragma once

#include <array>
#include <string_view>

#include "validate/log/training_log.hpp"

namespace shardsim::validate::log {

/// A line without colours. True where the line is one of the program's own and was taken.
using LineReader = bool (*)(std::string_view line, int number, TrainingLog& log);

[[nodiscard]] bool read_megatron_line(std::string_view line, int number, TrainingLog& log);
[[nodiscard]] bool read_megatron_deepspeed_line(std::string_view line, int number, TrainingLog& log);
[[nodiscard]] bool read_nemo_line(std::string_view line, int number, TrainingLog& log);
[[nodiscard]] bool read_nanotron_line(std::string_view line, int number, TrainingLog& log);
[[nodiscard]] bool read_torchtitan_line(std::string_view line, int number, TrainingLog& log);

struct Program {
  std::string_view name;
  LineReader read;
  /// The software stack whose runs print this; empty: the arguments dump tells.
  std::string_view stack;
};

/// The first of equals wins: Megatron-DeepSpeed's line is Megatron-LM's with more fields.
inline constexpr std::array<Program, 5> kPrograms{
    {{"Megatron-DeepSpeed", read_megatron_deepspeed_line, "megatron-deepspeed"},
     {"Megatron-LM", read_megatron_line, ""},
     {"NeMo", read_nemo_line, "nemo"},
     {"nanotron", read_nanotron_line, "nanotron"},
     {"torchtitan", read_torchtitan_line, "torchtitan"}}};

/// Adds an iteration whose numbers can be; others become `impossible`.
void add_iteration(Iteration iteration, TrainingLog& log);
/// The same for memory.
void add_memory(const MemoryPeak& peak, TrainingLog& log);
/// What the log says of the job: given by no one else.
void add_setting(std::string_view key, std::string value, int line, TrainingLog& log);

/// PyTorch's out-of-memory message, in every wording since 2019; `text` starts at the message and may go on behind it.
/// Empty where it is none.
[[nodiscard]] std::optional<OutOfMemory> read_out_of_memory(std::string_view text);

}  // namespace shardsim::validate::log
