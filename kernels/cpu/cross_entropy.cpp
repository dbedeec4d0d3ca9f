#include <algorithm>
#include <cmath>

#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/rows.hpp"
#include "kernels/cpu/vector_math.hpp"

namespace shardsim::kernels {
namespace {

/// One number a token, whether the matrix is a row or a column of them.
float& token(const Matrix& matrix, std::int64_t t) {
  return matrix.as<float>()[matrix.columns == 1 ? t * matrix.stride : t];
}

void check_tokens(const Matrix& matrix, std::int64_t tokens) {
  check_shape(matrix, matrix.columns == 1 ? tokens : 1, matrix.columns == 1 ? 1 : tokens);
}

constexpr std::int64_t kPart = 512;

/// x = exp(x − maximum); returns the sum.
float exponentiate_part(float* x, std::int64_t count, float maximum) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t c = 0; c < count; ++c) {
    const float e = vector_exp(x[c] - maximum);
    sum += e;
    x[c] = e;
  }
  return sum;
}

}  // namespace

void CpuBackend::row_maximum(const Matrix& logits, const Matrix& maximum) {
  check_tokens(maximum, logits.rows);
  for (std::int64_t t = 0; t < logits.rows; ++t) {
    const float* in = row_of(logits, t);
    float largest = in[0];
#pragma omp simd reduction(max : largest)
    for (std::int64_t c = 0; c < logits.columns; ++c) largest = in[c] > largest ? in[c] : largest;
    token(maximum, t) = largest;
  }
}

void CpuBackend::exponentiate(const Matrix& logits, const Matrix& maximum, const std::int32_t* targets,
                              std::int64_t first_id, const Matrix& sum, const Matrix& target) {
  for (const Matrix& tokens : {maximum, sum, target}) check_tokens(tokens, logits.rows);
  for (std::int64_t t = 0; t < logits.rows; ++t) {
    float* row = row_of(logits, t);
    const float largest = token(maximum, t);
    const std::int64_t id = targets[t] - first_id;
    token(target, t) = id >= 0 && id < logits.columns ? row[id] - largest : 0.0F;
    // Tens of thousands of terms: parts in fp32, their sum in double.
    double total = 0.0;
    for (std::int64_t first = 0; first < logits.columns; first += kPart) {
      total += static_cast<double>(exponentiate_part(row + first, std::min(kPart, logits.columns - first), largest));
    }
    token(sum, t) = static_cast<float>(total);
  }
}

void CpuBackend::token_losses(const Matrix& sum, const Matrix& target, const Matrix& losses) {
  const std::int64_t tokens = sum.elements();
  for (const Matrix& each : {sum, target, losses}) check_tokens(each, tokens);
  for (std::int64_t t = 0; t < tokens; ++t) token(losses, t) = std::log(token(sum, t)) - token(target, t);
}

void CpuBackend::cross_entropy_backward(const Matrix& exponentials, const Matrix& sum, const std::int32_t* targets,
                                        std::int64_t first_id, const Matrix& weights, const Matrix& dlogits) {
  check_same_shape(dlogits, exponentials);
  for (const Matrix& tokens : {sum, weights}) check_tokens(tokens, exponentials.rows);
  for (std::int64_t t = 0; t < exponentials.rows; ++t) {
    const float* in = row_of(exponentials, t);
    float* out = row_of(dlogits, t);
    const float factor = token(weights, t) / token(sum, t);
#pragma omp simd
    for (std::int64_t c = 0; c < exponentials.columns; ++c) out[c] = in[c] * factor;
    const std::int64_t id = targets[t] - first_id;
    if (id >= 0 && id < exponentials.columns) out[id] -= token(weights, t);
  }
}

}  // namespace shardsim::kernels
