#include <algorithm>
#include <cmath>

#include "kernels/reference/operators.hpp"

namespace shardsim::kernels::reference {

Values row_maximum(const Values& logits) {
  return generate(logits.rows, 1, [&](auto t, auto) {
    double maximum = logits(t, 0);
    for (std::int64_t c = 0; c < logits.columns; ++c) maximum = std::max(maximum, logits(t, c));
    return maximum;
  });
}

Exponentials exponentiate(const Values& logits, const Values& maximum, const std::int32_t* targets,
                          std::int64_t first_id) {
  Exponentials result{
      generate(logits.rows, logits.columns,
               [&](auto t, auto c) { return std::exp(logits(t, c) - maximum.data[static_cast<std::size_t>(t)]); }),
      Values(logits.rows, 1), Values(logits.rows, 1)};
  for (std::int64_t t = 0; t < logits.rows; ++t) {
    for (std::int64_t c = 0; c < logits.columns; ++c) {
      result.sum(t, 0) += result.exponentials(t, c);
      if (targets[t] == first_id + c) result.target(t, 0) = logits(t, c) - maximum.data[static_cast<std::size_t>(t)];
    }
  }
  return result;
}

Values token_losses(const Values& sum, const Values& target) {
  return generate(sum.rows, sum.columns, [&](auto r, auto c) { return std::log(sum(r, c)) - target(r, c); });
}

Values cross_entropy_backward(const Values& exponentials, const Values& sum, const std::int32_t* targets,
                              std::int64_t first_id, const Values& weights) {
  return generate(exponentials.rows, exponentials.columns, [&](auto t, auto c) {
    const double probability = exponentials(t, c) / sum.data[static_cast<std::size_t>(t)];
    return (probability - (targets[t] == first_id + c ? 1.0 : 0.0)) * weights.data[static_cast<std::size_t>(t)];
  });
}

void adam(const Values& gradient, const AdamStep& step, AdamState& state) {
  const double correction1 = 1.0 - std::pow(step.beta1, static_cast<double>(step.step));
  const double correction2 = 1.0 - std::pow(step.beta2, static_cast<double>(step.step));
  for (std::size_t i = 0; i < gradient.data.size(); ++i) {
    const double g = gradient.data[i] * step.gradient_scale;
    double& w = state.weights.data[i];
    double& m = state.first_moment.data[i];
    double& v = state.second_moment.data[i];
    m = step.beta1 * m + (1.0 - step.beta1) * g;
    v = step.beta2 * v + (1.0 - step.beta2) * g * g;
    w -= step.learning_rate * (m / correction1 / (std::sqrt(v / correction2) + step.epsilon) + step.weight_decay * w);
  }
}

}  // namespace shardsim::kernels::reference
