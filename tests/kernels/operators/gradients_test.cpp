// Every backward pass of the reference against finite differences of its forward pass, in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "kernels/reference/operators.hpp"

namespace shardsim::kernels::reference {
namespace {

Values random_values(std::int64_t rows, std::int64_t columns, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  return generate(rows, columns, [&](auto, auto) { return normal(engine); });
}

double inner_product(const Values& a, const Values& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.data.size(); ++i) sum += a.data[i] * b.data[i];
  return sum;
}

/// `gradient` of Σ forward(x) · upstream with respect to x, against central differences.
void expect_gradient(const Values& gradient, Values x, const Values& upstream,
                     const std::function<Values(const Values&)>& forward) {
  ASSERT_EQ(gradient.data.size(), x.data.size());
  constexpr double kStep = 1e-5;
  for (std::size_t i = 0; i < x.data.size(); ++i) {
    const double at = x.data[i];
    x.data[i] = at + kStep;
    const double above = inner_product(forward(x), upstream);
    x.data[i] = at - kStep;
    const double below = inner_product(forward(x), upstream);
    x.data[i] = at;
    EXPECT_NEAR(gradient.data[i], (above - below) / (2.0 * kStep), 1e-8 * (1.0 + std::abs(gradient.data[i]))) << i;
  }
}

TEST(Gradients, OfProducts) {
  const Values a = random_values(3, 5, 1);
  const Values b = random_values(5, 4, 2);
  const Values dc = random_values(3, 4, 3);
  expect_gradient(product(dc, transposed(b)), a, dc, [&](const Values& x) { return product(x, b); });
  expect_gradient(product(transposed(a), dc), b, dc, [&](const Values& x) { return product(a, x); });
}

TEST(Gradients, OfLayerNorm) {
  const Values x = random_values(3, 7, 1);
  const Values weight = random_values(1, 7, 2);
  const Values bias = random_values(1, 7, 3);
  const Values dy = random_values(3, 7, 4);
  const auto backward = layer_norm_backward(dy, x, weight, layer_norm(x, weight, bias, 0.01).statistics);
  expect_gradient(backward.dx, x, dy, [&](const Values& v) { return layer_norm(v, weight, bias, 0.01).y; });
  expect_gradient(backward.dweight, weight, dy, [&](const Values& v) { return layer_norm(x, v, bias, 0.01).y; });
  expect_gradient(backward.dbias, bias, dy, [&](const Values& v) { return layer_norm(x, weight, v, 0.01).y; });
}

TEST(Gradients, OfActivations) {
  const Values x = random_values(4, 9, 1);
  const Values bias = random_values(1, 9, 2);
  const Values dy = random_values(4, 9, 3);
  const Values dx = bias_gelu_backward(dy, x, bias);
  expect_gradient(dx, x, dy, [&](const Values& v) { return bias_gelu(v, bias); });
  expect_gradient(column_sums(dx), bias, dy, [&](const Values& v) { return bias_gelu(x, v); });
  expect_gradient(tanh_backward(dy, bias_tanh(x, bias)), x, dy, [&](const Values& v) { return bias_tanh(v, bias); });
}

TEST(Gradients, OfDropout) {
  const Values x = random_values(4, 9, 1);
  const Values dy = random_values(4, 9, 2);
  const Mask mask = activation_mask({1, 0.4, 0, 2, 0, 0}, 4, 9);
  expect_gradient(dropped(dy, mask, 0.4), x, dy, [&](const Values& v) { return dropped(v, mask, 0.4); });
}

TEST(Gradients, OfMaskedSoftmax) {
  const std::int32_t valid[2] = {3, 5};
  for (const bool causal : {true, false}) {
    const AttentionShape shape{2, 2, 0, 5, 5, causal, valid};
    const Values scores = random_values(20, 5, 1);
    const Values dp = random_values(20, 5, 2);
    const Values gradient = masked_softmax_backward(dp, masked_softmax(scores, shape, 0.7), 0.7);
    expect_gradient(gradient, scores, dp, [&](const Values& v) { return masked_softmax(v, shape, 0.7); });
  }
}

TEST(Gradients, OfEmbedding) {
  const std::int32_t ids[5] = {2, 4, 2, 9, 3};
  const Values table = random_values(3, 4, 1);  // ids 2 to 4
  const Values dy = random_values(5, 4, 2);
  expect_gradient(embedding_backward(ids, dy, 3, 2), table, dy,
                  [&](const Values& v) { return embedding(ids, 5, v, 2); });
}

TEST(Gradients, OfCrossEntropy) {
  const std::int32_t targets[3] = {7, 5, 9};
  const Values logits = random_values(3, 5, 1);  // ids 5 to 9
  const Values weights = random_values(3, 1, 2);
  const auto losses = [&](const Values& v) {
    const auto e = exponentiate(v, row_maximum(v), targets, 5);
    return token_losses(e.sum, e.target);
  };
  const auto e = exponentiate(logits, row_maximum(logits), targets, 5);
  expect_gradient(cross_entropy_backward(e.exponentials, e.sum, targets, 5, weights), logits, weights, losses);
}

// Adam's first step moves every weight by the learning rate against the gradient's sign: m̂ = g, v̂ = g².
TEST(Adam, FirstStepIsTheLearningRate) {
  AdamState state{Values(1, 3), Values(1, 3), Values(1, 3)};
  const double start[3] = {1.0, 2.0, 3.0};
  const double gradient[3] = {4.0, -0.01, 100.0};
  state.weights = generate(1, 3, [&](auto, auto c) { return start[c]; });
  adam(generate(1, 3, [&](auto, auto c) { return gradient[c]; }), {0.1, 0.9, 0.999, 0.0, 0.0, 1, 1.0}, state);
  EXPECT_NEAR(state.weights(0, 0), 0.9, 1e-12);
  EXPECT_NEAR(state.weights(0, 1), 2.1, 1e-12);
  EXPECT_NEAR(state.weights(0, 2), 2.9, 1e-12);
  // Decay shrinks weights by λ · decay, apart from the moments.
  adam(Values(1, 3), {0.1, 0.0, 0.0, 1e-8, 0.5, 2, 1.0}, state);
  EXPECT_NEAR(state.weights(0, 0), 0.9 * 0.95, 1e-12);
}

}  // namespace
}  // namespace shardsim::kernels::reference
