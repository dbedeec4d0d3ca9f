// Elementwise work, sums and the optimizer.
#include <cmath>
#include <limits>

#include "tests/kernels/operators/harness.hpp"

namespace shardsim::kernels::test {
namespace {

TEST_P(BackendTest, CopiesAddsScalesAndFills) {
  for (const auto& [rows, width] : kShapes) {
    const Values x = random_values(rows, width, 1);
    const Values y = random_values(rows, width, 2);
    expect_equal([&](Device& d) {
      const Matrix copied = d.put(y);
      const Matrix added = d.put(y);
      const Matrix factored = d.put(x);
      const Matrix filled = d.put(x);
      d.backend().copy(d.put(x), copied);
      d.backend().add(d.put(x), added);
      d.backend().scale(factored, -0.75);
      d.backend().fill(filled, 1.5);
      return std::vector{d.get(copied), d.get(added), d.get(factored), d.get(filled)};
    });
  }
}

TEST_P(BackendTest, LeavesTheGapsOfStridedRowsAlone) {
  Device d = subject();
  const Matrix whole = d.put(random_values(4, 10, 1));
  const Values before = d.get(whole);
  const Matrix middle = whole.column_range(3, 4);
  d.backend().fill(middle, 7.0);
  d.backend().scale(middle, 2.0);
  d.backend().add_bias(middle, d.put(random_values(1, 4, 2)));
  const Values after = d.get(whole);
  for (std::int64_t r = 0; r < 4; ++r) {
    for (const std::int64_t c : {0, 1, 2, 7, 8, 9}) EXPECT_EQ(after(r, c), before(r, c)) << r << ", " << c;
  }
}

TEST_P(BackendTest, SumsInDouble) {
  for (const auto& [rows, width] : kShapes) {
    const Values x = random_values(rows, width, 1, 3.0);
    expect_equal([&](Device& d) {
      const Matrix matrix = d.put(x);
      return std::vector{reference::generate(1, 1, [&](auto, auto) { return d.backend().sum(matrix); }),
                         reference::generate(1, 1, [&](auto, auto) { return d.backend().sum_of_squares(matrix); })};
    });
  }
  Device d = subject();
  const Matrix large = d.put(reference::generate(1, 100, [](auto, auto) { return 1e30; }), DType::fp32);
  EXPECT_NEAR(d.backend().sum_of_squares(large), 1e62, 1e56) << "squares beyond fp32";
}

TEST_P(BackendTest, SumOfSquaresShowsWhatIsNotFinite) {
  Device d = subject();
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Values x = random_values(3, 50, 1);
    x(1, 49) = bad;
    EXPECT_FALSE(std::isfinite(d.backend().sum_of_squares(d.put(x))));
  }
}

TEST_P(BackendTest, StepsAdamAsTheReference) {
  for (const std::int64_t count : {1, 15, 64, 1003}) {
    const Values weights = random_values(1, count, 1);
    expect_equal([&](Device& d) {
      const Matrix master = d.put(weights, DType::fp32);
      const Matrix first = d.zeros_fp32(1, count);
      const Matrix second = d.zeros_fp32(1, count);
      const bool has_master = storage_size(d.dtype()) < Bytes{4};
      const Matrix stored = has_master ? d.put(weights) : master;
      AdamStep step{0.01, 0.9, 0.95, 1e-8, 0.1, 1, 0.5};
      for (unsigned i = 0; i < 3; ++i, ++step.step) {
        d.backend().adam(d.put(random_values(1, count, 10 + i), DType::fp32), step, master, first, second, stored);
      }
      return std::vector{d.get(master), d.get(first), d.get(second), d.get(stored)};
    });
  }
}

}  // namespace
}  // namespace shardsim::kernels::test
