#include <cmath>

#include "kernels/trainer/train_options.hpp"

namespace shardsim::kernels {

LearningRate TrainOptions::learning_rate_schedule() const {
  LearningRate schedule = learning_rate;
  schedule.decay_iterations = lr_decay_iters > 0 ? lr_decay_iters : train_iters;
  if (lr_warmup_fraction > 0.0) {
    const double share = lr_warmup_fraction * static_cast<double>(schedule.decay_iterations);
    schedule.warmup_iterations = static_cast<std::int64_t>(std::llround(share));
  }
  return schedule;
}

}  // namespace shardsim::kernels
