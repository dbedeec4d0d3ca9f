// The steady part of a log: which iterations say how fast the run is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "validate/log/training_log.hpp"

namespace shardsim::validate::log {

/// Iterations of one start of the program at one batch size and sequence length.
struct Segment {
  std::vector<Iteration> iterations;
  /// The program was started before it: its first iterations are warm-up.
  bool after_start = false;
};

/// The iteration's number falls where a run was restarted. Of equal numbers in a row (several ranks print) the slowest
/// stays.
[[nodiscard]] std::vector<Segment> segments(const TrainingLog& log);

struct LeftOut {
  std::string reason;
  std::size_t count = 0;
};

struct Steady {
  double median_s = 0.0;
  double p10_s = 0.0;
  double p90_s = 0.0;
  std::optional<double> tflops_per_gpu;
  std::optional<std::int64_t> global_batch_size;
  std::optional<std::int64_t> seq_length;
  std::size_t used = 0;
  int first_line = 0;
  int last_line = 0;
  std::int64_t first_iteration = 0;
  std::int64_t last_iteration = 0;
  std::vector<LeftOut> left_out;
};

/// Which segment steady() takes: the last that has at least kFewest iterations, else the longest.
inline constexpr std::size_t kFewest = 3;
[[nodiscard]] std::size_t steady_segment(const std::vector<Segment>& segments);

/// The median of the chosen segment without its warm-up, without what a checkpoint or an evaluation slowed down, and
/// without other slow iterations. tokens: of one iteration over the GPUs, for programs that print a rate only. Throws
/// InputError where no time is left.
[[nodiscard]] Steady steady(const TrainingLog& log, double tokens_per_gpu);

}  // namespace shardsim::validate::log
