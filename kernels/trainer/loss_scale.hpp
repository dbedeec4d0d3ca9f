// The factor that keeps fp16 gradients in range: constant, or found while training (Micikevicius et al. 2018).
#pragma once

#include <cstdint>

namespace shardsim::kernels {

/// Megatron-LM's names and defaults.
struct LossScaleOptions {
  /// 0: dynamic for fp16, 1 for formats of fp32's range.
  double constant = 0.0;
  /// True where a dynamic scale was asked for by its initial value.
  bool dynamic = false;
  double initial = 4294967296.0;
  double minimum = 1.0;
  /// Good iterations after which the scale doubles.
  std::int64_t window = 1000;
  /// Overflows in a row of good iterations that are borne before the scale halves.
  std::int64_t hysteresis = 2;
};

/// What must survive a checkpoint.
struct LossScaleState {
  double scale = 1.0;
  std::int64_t good_iterations = 0;
  std::int64_t overflows_left = 0;
};

/// Megatron-LM's DynamicGradScaler, or a constant.
class LossScale {
 public:
  /// `needed`: the precision has fp16's range.
  LossScale(const LossScaleOptions& options, bool needed);

  [[nodiscard]] double value() const { return state_.scale; }
  [[nodiscard]] bool dynamic() const { return dynamic_; }
  /// After each iteration; an overflow means that its update was skipped.
  void update(bool overflow);

  [[nodiscard]] const LossScaleState& state() const { return state_; }
  void restore(const LossScaleState& state) { state_ = state; }

 private:
  LossScaleOptions options_;
  bool dynamic_;
  LossScaleState state_;
};

}  // namespace shardsim::kernels
