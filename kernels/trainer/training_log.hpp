// Megatron-LM's progress lines, on standard output by one rank.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "kernels/tensor/memory.hpp"
#include "kernels/trainer/trainer.hpp"

namespace shardsim::kernels {

/// Sums up the iterations since the last line.
class TrainingLog {
 public:
  TrainingLog(std::ostream& out, const Job& job, const TrainOptions& options);

  /// Counts an iteration of `seconds`, and writes a line where the interval ends or the training does.
  void add(const IterationResult& result, double seconds);
  /// One line: peak and components at the peak.
  void memory(std::int64_t rank, std::int64_t iterations, const Usage& peak, Bytes predicted);

 private:
  void write(const IterationResult& result);

  std::ostream& out_;
  const model::Scenario& scenario_;
  std::int64_t train_iters_;
  std::int64_t log_interval_;
  double model_flops_;

  std::int64_t lines_ = 0;
  std::int64_t iterations_ = 0;
  double seconds_ = 0.0;
  double lm_loss_ = 0.0;
  double sentence_order_loss_ = 0.0;
  std::int64_t skipped_ = 0;
  std::int64_t nan_ = 0;
};

/// The text of one line (without time stamp); means over the interval.
struct ProgressLine {
  std::int64_t iteration = 0;
  std::int64_t train_iters = 0;
  std::int64_t global_batch_size = 0;
  double milliseconds = 0.0;
  double teraflops_per_gpu = 0.0;
  double learning_rate = 0.0;
  double lm_loss = 0.0;
  bool has_sentence_order = false;
  double sentence_order_loss = 0.0;
  double loss_scale = 1.0;
  double gradient_norm = 0.0;
  std::int64_t skipped = 0;
  std::int64_t nan = 0;
};
[[nodiscard]] std::string to_string(const ProgressLine& line);

}  // namespace shardsim::kernels
