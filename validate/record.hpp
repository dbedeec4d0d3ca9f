// One measured run of the public record: its configuration as settings, and what was measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/problems.hpp"
#include "sim/base/units.hpp"
#include "sim/input/settings.hpp"

namespace shardsim::validate {

/// Which number a measured memory is: torch's peak allocated bytes of the most loaded or of the last rank, torch's peak
/// reserved bytes, or what nvidia-smi shows.
enum class MemoryKind { allocated_worst, allocated_last, reserved, device };

enum class Outcome { fits, out_of_memory };

/// What the time of a run covers: a whole iteration, or one transformer layer forward and backward
/// (Korthikanti et al. 2022, table 4).
enum class Extent { iteration, one_layer };

struct Record {
  std::string id;
  /// The row's own string.
  std::string source;
  /// Where in the source: table and row, file.
  std::string where;
  /// "A", "B", "C" or empty where the row has no such key.
  std::string quality;
  /// Why the row is scored apart; empty = it is not.
  std::string suspect;
  input::Settings settings;
  Extent extent = Extent::iteration;
  std::optional<Seconds> iteration;
  /// TFLOP/s per GPU where the source gives no time, in the convention of Narayanan et al. (2021), eq. 3 with
  /// (hardware) or without (model) the recomputed forward pass.
  std::optional<double> hardware_tflops_per_gpu;
  std::optional<double> model_tflops_per_gpu;
  /// Share of the matrix peak, full attention counted, where the source gives nothing else.
  std::optional<double> mfu;
  std::optional<Bytes> memory;
  MemoryKind memory_kind = MemoryKind::allocated_worst;
  std::optional<Outcome> outcome;
  /// Name of the feature that cannot be modelled; empty = it can.
  std::string unmodelled;

  [[nodiscard]] bool measures_time() const {
    return iteration || hardware_tflops_per_gpu || model_tflops_per_gpu || mfu;
  }
};

/// Reads published_runs.jsonl, published_runs_oom.jsonl, megatron_flag_runs.jsonl or gpt2_h100_runs.csv; told apart by
/// their keys. Malformed lines go to `problems` with file and line; after many of them the rest is not read.
[[nodiscard]] std::vector<Record> read_records(std::string_view text, const std::string& file, Problems& problems);

}  // namespace shardsim::validate
