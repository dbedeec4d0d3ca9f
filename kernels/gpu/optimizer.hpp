// The update of one element (Kingma & Ba 2015, algorithm 1; decoupled decay of Loshchilov & Hutter 2019, algorithm 2).
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/gpu/number.hpp"

namespace shardsim::kernels::gpu {

/// AdamStep with what does not depend on the element computed once.
struct AdamConstants {
  float learning_rate;
  float beta1;
  float beta2;
  float epsilon;
  float weight_decay;
  float gradient_scale;
  /// 1/(1 − β₁ᵗ) and 1/(1 − β₂ᵗ).
  float correction1;
  float correction2;
};

template <class Gradient, class Weight>
struct Adam {
  const Gradient* gradient;
  AdamConstants constants;
  float* master;
  float* first_moment;
  float* second_moment;
  Weight* weights;

  SHARDSIM_HOST_DEVICE void operator()(std::int64_t, std::int64_t i) const {
    const AdamConstants& k = constants;
    const float g = k.gradient_scale * static_cast<float>(gradient[i]);
    const float m = k.beta1 * first_moment[i] + (1.0F - k.beta1) * g;
    const float v = k.beta2 * second_moment[i] + (1.0F - k.beta2) * g * g;
    first_moment[i] = m;
    second_moment[i] = v;
    const float decayed = master[i] * (1.0F - k.learning_rate * k.weight_decay);
    const float update = m * k.correction1 / (std::sqrt(v * k.correction2) + k.epsilon);
    master[i] = decayed - k.learning_rate * update;
    weights[i] = static_cast<Weight>(master[i]);
  }
};

}  // namespace shardsim::kernels::gpu
