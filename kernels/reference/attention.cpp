#include <algorithm>
#include <cmath>

#include "kernels/operators/random.hpp"
#include "kernels/reference/operators.hpp"

namespace shardsim::kernels::reference {

Values masked_softmax(const Values& scores, const AttentionShape& shape, double scale) {
  Values probabilities(scores.rows, scores.columns);
  for (std::int64_t r = 0; r < scores.rows; ++r) {
    const std::int64_t visible = visible_keys(shape, r);
    if (visible == 0) continue;
    double maximum = scale * scores(r, 0);
    for (std::int64_t c = 0; c < visible; ++c) maximum = std::max(maximum, scale * scores(r, c));
    double sum = 0.0;
    for (std::int64_t c = 0; c < visible; ++c) sum += std::exp(scale * scores(r, c) - maximum);
    for (std::int64_t c = 0; c < visible; ++c) probabilities(r, c) = std::exp(scale * scores(r, c) - maximum) / sum;
  }
  return probabilities;
}

Values masked_softmax_backward(const Values& dprobabilities, const Values& probabilities, double scale) {
  return generate(dprobabilities.rows, dprobabilities.columns, [&](auto r, auto c) {
    double sum = 0.0;
    for (std::int64_t k = 0; k < probabilities.columns; ++k) sum += dprobabilities(r, k) * probabilities(r, k);
    return scale * probabilities(r, c) * (dprobabilities(r, c) - sum);
  });
}

}  // namespace shardsim::kernels::reference
