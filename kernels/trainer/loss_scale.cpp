#include "kernels/trainer/loss_scale.hpp"

#include <algorithm>

namespace shardsim::kernels {

LossScale::LossScale(const LossScaleOptions& options, bool needed)
    : options_{options}, dynamic_{options.constant == 0.0 && (options.dynamic || needed)} {
  state_.scale = dynamic_ ? options.initial : std::max(options.constant, 1.0);
  state_.overflows_left = options.hysteresis;
}

void LossScale::update(bool overflow) {
  if (!dynamic_) return;
  if (overflow) {
    state_.good_iterations = 0;
    if (--state_.overflows_left <= 0) state_.scale = std::max(state_.scale / 2.0, options_.minimum);
    return;
  }
  if (++state_.good_iterations < options_.window) return;
  state_.good_iterations = 0;
  state_.overflows_left = options_.hysteresis;
  state_.scale *= 2.0;
}

}  // namespace shardsim::kernels
