#include <cmath>

#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/rows.hpp"

namespace shardsim::kernels {

// Loshchilov & Hutter 2019, algorithm 2, with the learning rate folded into the decay as PyTorch's AdamW and Apex do:
// m = β₁ m + (1 − β₁) g; v = β₂ v + (1 − β₂) g²; w −= λ (m / (1 − β₁ᵗ) / (√(v / (1 − β₂ᵗ)) + ε) + decay · w).
void CpuBackend::adam(const Matrix& gradient, const AdamStep& step, const Matrix& master, const Matrix& first_moment,
                      const Matrix& second_moment, const Matrix& weights) {
  const auto t = static_cast<double>(step.step);
  const auto beta1 = static_cast<float>(step.beta1);
  const auto beta2 = static_cast<float>(step.beta2);
  const auto rest1 = static_cast<float>(1.0 - step.beta1);
  const auto rest2 = static_cast<float>(1.0 - step.beta2);
  const auto scale = static_cast<float>(step.gradient_scale);
  const auto epsilon = static_cast<float>(step.epsilon);
  const auto rate = static_cast<float>(step.learning_rate / (1.0 - std::pow(step.beta1, t)));
  const auto inverse_root = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(step.beta2, t)));
  const auto kept = static_cast<float>(1.0 - step.learning_rate * step.weight_decay);
  for_each_row(
      [=](std::int64_t count, const float* g, float* w, float* m, float* v, float* stored) {
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) {
          const float scaled = g[i] * scale;
          const float first = beta1 * m[i] + rest1 * scaled;
          const float second = beta2 * v[i] + rest2 * scaled * scaled;
          m[i] = first;
          v[i] = second;
          const float updated = w[i] * kept - rate * first / (std::sqrt(second) * inverse_root + epsilon);
          w[i] = updated;
          stored[i] = updated;
        }
      },
      gradient, master, first_moment, second_moment, weights);
}

}  // namespace shardsim::kernels
