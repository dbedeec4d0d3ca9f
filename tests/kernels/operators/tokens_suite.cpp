// Embeddings and the cross entropy over a sharded vocabulary.
#include <cmath>

#include "tests/kernels/operators/harness.hpp"

namespace shardsim::kernels::test {
namespace {

const std::vector<std::int32_t> kIds = {3, 0, 9, 3, 5, 4, 3, 10, 2};

TEST_P(BackendTest, LooksUpAndSpreadsEmbeddings) {
  for (const std::int64_t width : {1, 7, 64, 129}) {
    const Values table = random_values(4, width, 1);
    const Values whole = random_values(11, width, 2);
    const Values dy = random_values(9, width, 3);
    expect_equal_sums([&](Device& d) {
      const std::int32_t* ids = d.put(kIds);
      const Matrix y = d.put(dy);
      d.backend().embedding(ids, d.put(table), 2, y);  // ids 2 to 5 are here
      const Matrix sum = d.put(dy);
      d.backend().add_embedding(ids, d.put(whole), sum);
      const Matrix dtable = d.put(table);
      d.backend().embedding_backward(ids, d.put(dy), 2, dtable);
      return std::vector{d.get(y), d.get(sum), d.get(dtable)};
    });
  }
}

TEST_P(BackendTest, GathersAndScattersRows) {
  const Values from = random_values(11, 33, 1);
  const Values back = random_values(11, 33, 2);
  expect_equal_sums([&](Device& d) {
    const std::int32_t* rows = d.put(kIds);
    const Matrix gathered = d.zeros(9, 33);
    d.backend().gather_rows(d.put(from), rows, gathered);
    const Matrix scattered = d.put(back);
    d.backend().scatter_add_rows(gathered, rows, scattered);
    return std::vector{d.get(gathered), d.get(scattered)};
  });
}

TEST_P(BackendTest, ComputesCrossEntropyOverShards) {
  for (const std::int64_t vocabulary : {1, 2, 17, 64, 1000, 5003}) {
    constexpr std::int64_t kTokens = 9;
    const Values logits = random_values(kTokens, vocabulary, 1, 5.0);
    const Values weights = random_values(1, kTokens, 2);
    std::vector<std::int32_t> targets;
    for (std::int64_t t = 0; t < kTokens; ++t) targets.push_back(static_cast<std::int32_t>(40 + t * vocabulary / 5));
    expect_equal([&](Device& d) {
      const Matrix work = d.put(logits, DType::fp32);
      const std::int32_t* ids = d.put(targets);  // some beyond the shard's 40 … 40 + vocabulary
      const Matrix maximum = d.zeros_fp32(1, kTokens);
      const Matrix sum = d.zeros_fp32(1, kTokens);
      const Matrix target = d.zeros_fp32(1, kTokens);
      const Matrix losses = d.zeros_fp32(1, kTokens);
      d.backend().row_maximum(work, maximum);
      d.backend().exponentiate(work, maximum, ids, 40, sum, target);
      const Values exponentials = d.get(work);
      d.backend().token_losses(sum, target, losses);
      d.backend().cross_entropy_backward(work, sum, ids, 40, d.put(weights, DType::fp32), work);
      return std::vector{exponentials, d.get(maximum), d.get(sum), d.get(target), d.get(losses), d.get(work)};
    });
  }
}

TEST_P(BackendTest, CrossEntropyStandsExtremeLogits) {
  Device d = subject();
  const double extremes[2][4] = {{1e5, -1e5, 0.0, 0.0}, {-1e5, -1e5, -1e5, -1e5}};
  const Matrix logits = d.put(reference::generate(2, 4, [&](auto r, auto c) { return extremes[r][c]; }), DType::fp32);
  const std::int32_t* targets = d.put(std::vector<std::int32_t>{1, 1});
  const Matrix maximum = d.zeros_fp32(1, 2);
  const Matrix sum = d.zeros_fp32(1, 2);
  const Matrix target = d.zeros_fp32(1, 2);
  const Matrix losses = d.zeros_fp32(1, 2);
  d.backend().row_maximum(logits, maximum);
  d.backend().exponentiate(logits, maximum, targets, 0, sum, target);
  d.backend().token_losses(sum, target, losses);
  EXPECT_NEAR(d.get(losses)(0, 0), 2e5, 1.0);             // −log(e^(−2e5) / 1)
  EXPECT_NEAR(d.get(losses)(0, 1), std::log(4.0), 1e-5);  // four equal
  d.backend().cross_entropy_backward(logits, sum, targets, 0, d.put(Values(1, 2), DType::fp32), logits);
  for (const double gradient : d.get(logits).data) EXPECT_EQ(gradient, 0.0) << "a token of weight 0";
}

}  // namespace
}  // namespace shardsim::kernels::test
