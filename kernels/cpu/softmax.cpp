#include <algorithm>

#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/masks.hpp"
#include "kernels/cpu/rows.hpp"
#include "kernels/cpu/vector_math.hpp"

namespace shardsim::kernels {
namespace {

void check_scores(const Matrix& scores, const AttentionShape& shape) {
  check_shape(scores, shape.sequences * shape.heads * shape.queries, shape.keys);
}

}  // namespace

// Only visible keys are computed with; a row that sees none is all 0.
void CpuBackend::masked_softmax(const Matrix& scores, const AttentionShape& shape, double scale,
                                const Matrix& probabilities) {
  check_scores(scores, shape);
  check_same_shape(probabilities, scores);
  const auto factor = static_cast<float>(scale);
  for (std::int64_t r = 0; r < scores.rows; ++r) {
    const std::int64_t visible = visible_keys(shape, r);
    const float* in = row_of(scores, r);
    float* out = row_of(probabilities, r);
    float maximum = visible > 0 ? in[0] * factor : 0.0F;
#pragma omp simd reduction(max : maximum)
    for (std::int64_t c = 0; c < visible; ++c) maximum = in[c] * factor > maximum ? in[c] * factor : maximum;
    float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t c = 0; c < visible; ++c) {
      const float e = vector_exp(in[c] * factor - maximum);
      sum += e;
      out[c] = e;
    }
    const float inverse = 1.0F / sum;
#pragma omp simd
    for (std::int64_t c = 0; c < visible; ++c) out[c] *= inverse;
    std::fill(out + visible, out + shape.keys, 0.0F);
  }
}

void CpuBackend::masked_softmax_backward(const Matrix& dprobabilities, const Matrix& probabilities,
                                         const AttentionShape& shape, double scale, const Matrix& dscores) {
  check_scores(dprobabilities, shape);
  check_same_shape(probabilities, dprobabilities);
  check_same_shape(dscores, dprobabilities);
  const auto factor = static_cast<float>(scale);
  for (std::int64_t r = 0; r < dscores.rows; ++r) {
    const std::int64_t visible = visible_keys(shape, r);
    const float* upstream = row_of(dprobabilities, r);
    const float* p = row_of(probabilities, r);
    float* out = row_of(dscores, r);
    float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t c = 0; c < visible; ++c) sum += upstream[c] * p[c];
#pragma omp simd
    for (std::int64_t c = 0; c < visible; ++c) out[c] = factor * p[c] * (upstream[c] - sum);
    std::fill(out + visible, out + shape.keys, 0.0F);
  }
}

void CpuBackend::attention_dropout(const Matrix& probabilities, const AttentionShape& shape, const DropoutSite& site,
                                   const Matrix& y, std::uint8_t* mask) {
  if (mask == nullptr) return copy(probabilities, y);
  check_scores(probabilities, shape);
  check_same_shape(y, probabilities);
  for (std::int64_t r = 0; r < probabilities.rows; ++r) {
    std::uint8_t* keep = mask + r * shape.keys;
    fill_mask(attention_row(site, shape, r), drop_threshold(site.probability), shape.keys, keep);
    apply_mask(row_of(probabilities, r), keep, kept_scale(site.probability), shape.keys, row_of(y, r));
  }
}

}  // namespace shardsim::kernels
