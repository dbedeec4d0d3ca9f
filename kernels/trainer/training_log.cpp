#include "kernels/trainer/training_log.hpp"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <ostream>

#include "sim/model/parameters.hpp"

namespace shardsim::kernels {
namespace {

__attribute__((format(printf, 1, 2))) std::string format(const char* pattern, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

std::string time_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
  return text;
}

long long number(std::int64_t value) { return value; }

}  // namespace

std::string to_string(const ProgressLine& line) {
  std::string text = format(" iteration %8lld/%8lld | consumed samples: %12lld |", number(line.iteration),
                            number(line.train_iters), number(line.iteration * line.global_batch_size));
  text += format(" elapsed time per iteration (ms): %.1f |", line.milliseconds);
  text += format(" throughput per GPU (TFLOP/s/GPU): %.4f |", line.teraflops_per_gpu);
  text +=
      format(" learning rate: %.6E | global batch size: %5lld |", line.learning_rate, number(line.global_batch_size));
  text += format(" lm loss: %.6E |", line.lm_loss);
  if (line.has_sentence_order) text += format(" sop loss: %.6E |", line.sentence_order_loss);
  text += format(" loss scale: %.1f | grad norm: %.6f |", line.loss_scale, line.gradient_norm);
  text += format(" number of skipped iterations: %3lld | number of nan iterations: %3lld |", number(line.skipped),
                 number(line.nan));
  return text;
}

TrainingLog::TrainingLog(std::ostream& out, const Job& job, const TrainOptions& options)
    : out_{out},
      scenario_{job.scenario},
      train_iters_{options.train_iters},
      log_interval_{options.log_interval},
      model_flops_{model::iteration_flops(job.scenario).model.value()} {}

void TrainingLog::add(const IterationResult& result, double seconds) {
  ++iterations_;
  seconds_ += seconds;
  lm_loss_ += result.lm_loss;
  sentence_order_loss_ += result.sentence_order_loss;
  skipped_ += result.skipped ? 1 : 0;
  nan_ += std::isfinite(result.lm_loss) ? 0 : 1;
  if (result.iteration % log_interval_ == 0 || result.iteration == train_iters_) write(result);
}

void TrainingLog::write(const IterationResult& result) {
  const auto count = static_cast<double>(iterations_);
  const double mean_seconds = seconds_ / count;
  ProgressLine line;
  line.iteration = result.iteration;
  line.train_iters = train_iters_;
  line.global_batch_size = scenario_.training.global_batch_size;
  line.milliseconds = mean_seconds * 1e3;
  line.teraflops_per_gpu = model_flops_ / mean_seconds / static_cast<double>(scenario_.gpus) / 1e12;
  line.learning_rate = result.learning_rate;
  line.lm_loss = lm_loss_ / count;
  line.has_sentence_order = scenario_.model.output_head == model::OutputHead::masked_lm_and_binary;
  line.sentence_order_loss = sentence_order_loss_ / count;
  line.loss_scale = result.loss_scale;
  line.gradient_norm = result.gradient_norm;
  line.skipped = skipped_;
  line.nan = nan_;
  out_ << " [" << time_stamp() << ']' << to_string(line) << std::endl;
  iterations_ = skipped_ = nan_ = 0;
  seconds_ = lm_loss_ = sentence_order_loss_ = 0.0;
}

void TrainingLog::memory(std::int64_t rank, std::int64_t iterations, const Usage& peak, Bytes predicted) {
  constexpr double kMiB = 1024.0 * 1024.0;
  out_ << format(" [Rank %lld] (after %lld iterations) memory (MiB) | peak allocated: %.3f | predicted: %.3f",
                 number(rank), number(iterations), peak.total().as_double() / kMiB, predicted.as_double() / kMiB);
  for (std::size_t i = 0; i < kComponents; ++i) {
    out_ << format(" | %.*s: %.3f", static_cast<int>(kComponentNames[i].size()), kComponentNames[i].data(),
                   peak.by_component[i].as_double() / kMiB);
  }
  out_ << " |" << std::endl;
}

}  // namespace shardsim::kernels
