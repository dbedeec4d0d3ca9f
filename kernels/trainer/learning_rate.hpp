// Learning rate by iteration: Megatron-LM's OptimizerParamScheduler.
#pragma once

#include <cstdint>
#include <string_view>

namespace shardsim::kernels {

enum class LearningRateDecay { constant, linear, cosine, inverse_square_root };

struct LearningRate {
  double maximum = 1.5e-4;
  double minimum = 0.0;
  LearningRateDecay decay = LearningRateDecay::linear;
  std::int64_t warmup_iterations = 0;
  /// Iteration at which the minimum is reached.
  std::int64_t decay_iterations = 1;

  /// After n iterations: what iteration n + 1 uses, and what Megatron logs for iteration n. Linear from 0 over the
  /// warm-up (W iterations), then with r = (n − W)/(D − W): linear max − r·(max − min), cosine
  /// min + ½(1 + cos πr)·(max − min), inverse square root max·√W/√n; min after D.
  [[nodiscard]] double at(std::int64_t iterations) const;
};

}  // namespace shardsim::kernels
