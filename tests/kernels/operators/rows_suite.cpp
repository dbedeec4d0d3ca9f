// Layer norm, biases and activations.
#include "tests/kernels/operators/harness.hpp"

namespace shardsim::kernels::test {
namespace {

TEST_P(BackendTest, NormalisesLayers) {
  for (const auto& [rows, width] : kShapes) {
    const Values x = random_values(rows, width, 1, 3.0);
    const Values weight = random_values(1, width, 2);
    const Values bias = random_values(1, width, 3);
    expect_equal([&](Device& d) {
      const Matrix y = d.put(x);
      const Matrix statistics = d.zeros_fp32(rows, 2);
      d.backend().layer_norm(y, d.put(weight), d.put(bias), 1e-5, y, statistics);
      return std::vector{d.get(y), d.get(statistics)};
    });
  }
}

// The variance is that of differences from the mean, not a difference of large squares.
TEST_P(BackendTest, NormalisesFarFromZero) {
  const Values x = reference::generate(2, 64, [](auto r, auto c) { return 256.0 + static_cast<double>((r + c) % 2); });
  expect_equal([&](Device& d) {
    const Matrix y = d.zeros(2, 64);
    const Matrix statistics = d.zeros_fp32(2, 2);
    d.backend().layer_norm(d.put(x), d.put(random_values(1, 64, 1)), d.put(random_values(1, 64, 2)), 1e-5, y,
                           statistics);
    return std::vector{d.get(y), d.get(statistics)};
  });
}

TEST_P(BackendTest, DifferentiatesLayerNorms) {
  for (const auto& [rows, width] : kShapes) {
    const Values x = random_values(rows, width, 1, 3.0);
    const Values dy = random_values(rows, width, 2);
    const Values weight = random_values(1, width, 3);
    const Values before = random_values(1, width, 4);
    expect_equal_sums([&](Device& d) {
      Backend& backend = d.backend();
      const Matrix input = d.put(x);
      const Matrix gain = d.put(weight);
      const Matrix statistics = d.zeros_fp32(rows, 2);
      backend.layer_norm(input, gain, d.zeros(1, width), 0.5, d.zeros(rows, width), statistics);
      const Matrix dx = d.zeros(rows, width);
      const Matrix dweight = d.put(before);
      const Matrix dbias = d.put(before);
      backend.layer_norm_backward(d.put(dy), input, gain, statistics, dx, dweight, dbias);
      const Matrix in_place = d.put(dy);
      backend.layer_norm_backward(in_place, input, gain, statistics, in_place, d.zeros(1, width), d.zeros(1, width));
      return std::vector{d.get(dx), d.get(dweight), d.get(dbias), d.get(in_place)};
    });
  }
}

TEST_P(BackendTest, ComputesGeluAndItsGradient) {
  for (const auto& [rows, width] : kShapes) {
    const Values x = random_values(rows, width, 1, 2.0);
    const Values bias = random_values(1, width, 2);
    const Values dy = random_values(rows, width, 3);
    expect_equal([&](Device& d) {
      Backend& backend = d.backend();
      const Matrix input = d.put(x);
      const Matrix shift = d.put(bias);
      const Matrix y = d.put(x);
      const Matrix unbiased = d.zeros(rows, width);
      const Matrix dx = d.put(dy);
      const Matrix dx_unbiased = d.zeros(rows, width);
      backend.bias_gelu(y, shift, y);
      backend.bias_gelu(input, Matrix{}, unbiased);
      backend.bias_gelu_backward(dx, input, shift, dx);
      backend.bias_gelu_backward(d.put(dy), input, Matrix{}, dx_unbiased);
      return std::vector{d.get(y), d.get(unbiased), d.get(dx), d.get(dx_unbiased)};
    });
  }
}

TEST_P(BackendTest, GeluOfExtremesIsTheLimit) {
  Device d = subject();
  const std::vector<double> extremes = {-1e4, -100.0, -20.0, 20.0, 100.0, 1e4};
  const auto x = reference::generate(1, 6, [&](auto, auto c) { return extremes[static_cast<std::size_t>(c)]; });
  const Matrix input = d.put(x);
  const Matrix y = d.zeros(1, 6);
  const Matrix dx = d.put(reference::generate(1, 6, [](auto, auto) { return 1.0; }));
  d.backend().bias_gelu(input, Matrix{}, y);
  d.backend().bias_gelu_backward(dx, input, Matrix{}, dx);
  for (std::int64_t c = 0; c < 6; ++c) {
    EXPECT_NEAR(d.get(y)(0, c), c < 3 ? 0.0 : d.get(input)(0, c), 1e-30) << extremes[static_cast<std::size_t>(c)];
    EXPECT_NEAR(d.get(dx)(0, c), c < 3 ? 0.0 : 1.0, 1e-24) << extremes[static_cast<std::size_t>(c)];
  }
}

TEST_P(BackendTest, ComputesTanhAndItsGradient) {
  for (const auto& [rows, width] : kShapes) {
    const Values x = random_values(rows, width, 1, 2.0);
    const Values bias = random_values(1, width, 2);
    const Values dy = random_values(rows, width, 3);
    expect_equal([&](Device& d) {
      const Matrix y = d.put(x);
      d.backend().bias_tanh(y, d.put(bias), y);
      const Matrix dx = d.put(dy);
      d.backend().tanh_backward(dx, y, dx);
      return std::vector{d.get(y), d.get(dx)};
    });
  }
}

TEST_P(BackendTest, AddsBiasesAndTheirGradients) {
  for (const auto& [rows, width] : kShapes) {
    const Values x = random_values(rows, width, 1);
    const Values bias = random_values(1, width, 2);
    expect_equal_sums([&](Device& d) {
      const Matrix y = d.put(x);
      d.backend().add_bias(y, d.put(bias));
      const Matrix dbias = d.put(bias);
      d.backend().bias_gradient(y, dbias);
      return std::vector{d.get(y), d.get(dbias)};
    });
  }
}

}  // namespace
}  // namespace shardsim::kernels::test
