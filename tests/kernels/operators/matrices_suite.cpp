// Matrix products in every layout that training needs.
#include "tests/kernels/operators/harness.hpp"

namespace shardsim::kernels::test {
namespace {

struct Product {
  std::int64_t m, n, k;
};
constexpr Product kProducts[] = {{1, 1, 1},    {2, 3, 5},     {1, 17, 9},    {31, 1, 33},   {17, 13, 1},
                                 {64, 64, 64}, {67, 129, 31}, {5, 300, 257}, {200, 70, 300}};

Values operand(std::int64_t rows, std::int64_t columns, bool transposed, unsigned seed) {
  return transposed ? random_values(columns, rows, seed) : random_values(rows, columns, seed);
}

TEST_P(BackendTest, MultipliesInEveryLayout) {
  for (const auto& [m, n, k] : kProducts) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        const Values a = operand(m, k, a_transposed, 1);
        const Values b = operand(k, n, b_transposed, 2);
        const Values c = random_values(m, n, 3);
        expect_equal_sums([&](Device& d) {
          const Matrix fresh = d.put(c);
          const Matrix accumulated = d.put(c);
          const Operand left{d.put(a), a_transposed};
          const Operand right{d.put(b), b_transposed};
          d.backend().gemm(left, right, fresh, false);
          d.backend().gemm(left, right, accumulated, true);
          return std::vector{d.get(fresh), d.get(accumulated)};
        });
      }
    }
  }
}

// Rows of the output are multiplied in parts when it is large.
TEST_P(BackendTest, MultipliesWideOutputs) {
  const Values a = random_values(300, 20, 1);
  const Values b = random_values(9000, 20, 2);
  expect_equal_sums([&](Device& d) {
    const Matrix c = d.put(Values(300, 9000));
    d.backend().fill(c, 5.0);
    d.backend().gemm({d.put(a)}, {d.put(b), true}, c, false);
    return std::vector{d.get(c)};
  });
}

TEST_P(BackendTest, ForgetsWhatWasThereUnlessAccumulating) {
  Device d = subject();
  const Matrix c = d.put(reference::generate(1, 1, [](auto, auto) { return 1.0 / 0.0; }));
  d.backend().gemm({d.put(random_values(1, 4, 1))}, {d.put(random_values(4, 1, 2))}, c, false);
  EXPECT_LT(d.get(c)(0, 0), 100.0);
}

// Attention: heads lie side by side in the activations [s·b, heads·d], and scores are dense.
TEST_P(BackendTest, MultipliesBatchesOfStridedHeads) {
  constexpr std::int64_t kSequence = 13, kSequences = 2, kHeads = 3, kWidth = 5;
  const Values queries = random_values(kSequence * kSequences, kHeads * kWidth, 1);
  const Values keys = random_values(kSequence * kSequences, kHeads * kWidth, 2);
  expect_equal_sums([&](Device& d) {
    const auto heads_of = [&](const Matrix& x, std::int64_t sequence) {
      const Matrix head{x.row_range(sequence, 1).data, x.dtype, kSequence, kWidth, kSequences * x.stride};
      return MatrixBatch{head, kHeads, kWidth};
    };
    const Matrix q = d.put(queries);
    const Matrix k = d.put(keys);
    const Matrix context = d.zeros(kSequence * kSequences, kHeads * kWidth);
    const Matrix scores = d.zeros(kSequences * kHeads * kSequence, kSequence);
    for (std::int64_t sequence = 0; sequence < kSequences; ++sequence) {
      const Matrix mine = scores.row_range(sequence * kHeads * kSequence, kSequence);
      const MatrixBatch result{mine, kHeads, kSequence * scores.stride};
      d.backend().batched_gemm({heads_of(q, sequence)}, {heads_of(k, sequence), true}, result, 0.25);
      d.backend().batched_gemm({result}, {heads_of(k, sequence)}, heads_of(context, sequence), 1.0);
    }
    return std::vector{d.get(scores), d.get(context)};
  });
}

}  // namespace
}  // namespace shardsim::kernels::test
