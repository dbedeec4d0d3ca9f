// Softmax over attention scores with causal and padding masks, and their dropout.
#include "tests/kernels/operators/harness.hpp"

namespace shardsim::kernels::test {
namespace {

struct Case {
  std::int64_t sequences, heads, queries, keys;
  bool causal, padded;
};
constexpr Case kCases[] = {{1, 1, 1, 1, true, false},    {2, 3, 7, 7, true, false},    {2, 3, 7, 7, false, true},
                           {3, 2, 33, 33, true, true},   {1, 2, 65, 65, false, false}, {2, 1, 5, 17, true, false},
                           {1, 2, 130, 130, true, false}};

AttentionShape shape_of(const Case& c, Device& d) {
  AttentionShape shape{c.sequences, c.heads, 0, c.queries, c.keys, c.causal, nullptr};
  if (c.padded) {
    // The first sequence sees nothing at all, the last everything.
    std::vector<std::int32_t> valid;
    for (std::int64_t s = 0; s < c.sequences; ++s) {
      valid.push_back(static_cast<std::int32_t>(c.keys * s / (c.sequences - 1)));
    }
    shape.valid_keys = d.put(valid);
  }
  return shape;
}

TEST_P(BackendTest, ComputesMaskedSoftmaxAndItsGradient) {
  for (const Case& c : kCases) {
    const std::int64_t rows = c.sequences * c.heads * c.queries;
    const Values scores = random_values(rows, c.keys, 1, 10.0);
    const Values upstream = random_values(rows, c.keys, 2);
    expect_equal([&](Device& d) {
      const AttentionShape shape = shape_of(c, d);
      const Matrix p = d.zeros(rows, c.keys);
      const Matrix in_place = d.put(scores);
      d.backend().masked_softmax(d.put(scores), shape, 0.125, p);
      d.backend().masked_softmax(in_place, shape, 0.125, in_place);
      const Matrix ds = d.zeros(rows, c.keys);
      const Matrix ds_in_place = d.put(upstream);
      d.backend().masked_softmax_backward(d.put(upstream), p, shape, 0.125, ds);
      d.backend().masked_softmax_backward(ds_in_place, p, shape, 0.125, ds_in_place);
      return std::vector{d.get(p), d.get(in_place), d.get(ds), d.get(ds_in_place)};
    });
  }
}

TEST_P(BackendTest, SoftmaxStandsExtremeScores) {
  const double extremes[4][3] = {{3e4, -3e4, 0.0}, {-3e4, -3e4, -3e4}, {3e4, 3e4, 3e4}, {0.0, 0.0, -3e4}};
  const Values scores = reference::generate(4, 3, [&](auto r, auto c) { return extremes[r][c]; });
  expect_equal([&](Device& d) {
    const AttentionShape shape{1, 4, 0, 1, 3, false, nullptr};
    const Matrix p = d.put(scores);
    d.backend().masked_softmax(p, shape, 2.0, p);
    return std::vector{d.get(p)};
  });
}

TEST_P(BackendTest, DropsAttentionAsTheReference) {
  for (const Case& c : kCases) {
    const std::int64_t rows = c.sequences * c.heads * c.queries;
    const Values p = random_values(rows, c.keys, 1);
    expect_equal([&](Device& d) {
      AttentionShape shape = shape_of(c, d);
      shape.first_head = 5;
      const DropoutSite site{99, 0.3, 7, 1, 0, 0};
      std::uint8_t* mask = d.bytes(rows * c.keys);
      const Matrix y = d.put(p);
      d.backend().attention_dropout(y, shape, site, y, mask);
      const Matrix without = d.zeros(rows, c.keys);
      d.backend().attention_dropout(d.put(p), shape, site, without, nullptr);
      return std::vector{d.get(y), d.get(mask, rows * c.keys), d.get(without)};
    });
  }
}

// Heads and sequences on their own drop what they drop together.
TEST_P(BackendTest, DropsTheSameScoresInEveryLayout) {
  Device d = subject();
  const AttentionShape whole{2, 3, 0, 5, 7, true, nullptr};
  const auto kept = [&](const AttentionShape& shape, std::int64_t first_sample) {
    const std::int64_t rows = shape.sequences * shape.heads * shape.queries;
    std::uint8_t* mask = d.bytes(rows * shape.keys);
    d.backend().attention_dropout(d.zeros(rows, shape.keys), shape, {99, 0.5, first_sample, 1, 0, 0},
                                  d.zeros(rows, shape.keys), mask);
    return d.get(mask, rows * shape.keys).data;
  };
  const std::vector<double> mask = kept(whole, 4);
  for (std::int64_t sequence = 0; sequence < 2; ++sequence) {
    for (std::int64_t head = 0; head < 3; ++head) {
      const std::vector<double> mine = kept({1, 1, head, 5, 7, true, nullptr}, 4 + sequence);
      const auto first = mask.begin() + (sequence * 3 + head) * 35;
      EXPECT_EQ(mine, std::vector<double>(first, first + 35));
    }
  }
}

}  // namespace
}  // namespace shardsim::kernels::test
