// Gradients of whole tiny models against finite differences of their losses.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/communicator/single_communicator.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "tests/kernels/model/tiny_model.hpp"

namespace shardsim::test {
namespace {

double loss(TinyModel& tiny) {
  const ModelChunk::Losses losses = tiny.step();
  return losses.language_model + losses.sentence_order;
}

/// Moves the parameter along its gradient g by ±ε·g/|g|: the loss changes by ±ε·|g| at first.
void expect_gradient_is_slope(TinyModel& tiny, const Parameter& parameter) {
  constexpr double kStep = 2e-2;
  (void)tiny.step();
  const std::vector<float> gradient = tiny.gradient(parameter);
  const std::vector<float> value = tiny.value(parameter);
  double norm = 0.0;
  for (const float g : gradient) norm += static_cast<double>(g) * g;
  norm = std::sqrt(norm);
  const auto moved = [&](double step) {
    std::vector<float> values = value;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += static_cast<float>(step / std::max(norm, 1e-12) * gradient[i]);
    }
    tiny.set_value(parameter, values);
    const double result = loss(tiny);
    tiny.set_value(parameter, value);
    return result;
  };
  // Four points: the error is of order ε⁴.
  const double slope = (8 * (moved(kStep) - moved(-kStep)) - (moved(2 * kStep) - moved(-2 * kStep))) / (12 * kStep);
  // The loss is about 4 and is summed in fp32: its rounding of some 1e-6, times 1.5/ε, is 8e-5.
  EXPECT_NEAR(slope, norm, 1e-3 * norm + 1e-4) << parameter.name;
}

/// A model in the middle of training: activations of order 1, so that a step of 0.02 is small, and no vector of zeros.
void grow(TinyModel& tiny) {
  for (const Parameter& parameter : tiny.parameters()) {
    std::vector<float> values = tiny.value(parameter);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto place = static_cast<float>(i);
      values[i] = parameter.rows > 1 ? 20.0F * values[i] : values[i] + 0.3F * std::sin(2.0F * place);
    }
    tiny.set_value(parameter, values);
  }
}

void expect_gradients(const model::Scenario& scenario) {
  TinyModel tiny{scenario, kernels::make_cpu_backend(), kernels::make_single_communicator()};
  grow(tiny);
  for (const Parameter& parameter : tiny.parameters()) expect_gradient_is_slope(tiny, parameter);
}

TEST(Gradient, OfGpt) { expect_gradients(tiny_gpt()); }
TEST(Gradient, OfPreNormBert) { expect_gradients(tiny_bert(model::NormPlacement::pre)); }
TEST(Gradient, OfPostNormBert) { expect_gradients(tiny_bert(model::NormPlacement::post)); }
TEST(Gradient, WithoutDropout) {
  model::Scenario scenario = tiny_gpt();
  scenario.model.hidden_dropout = 0.0;
  scenario.model.attention_dropout = 0.0;
  expect_gradients(scenario);
}

}  // namespace
}  // namespace shardsim::test
