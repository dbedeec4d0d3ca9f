#include "kernels/data/random_stream.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace shardsim::kernels {
namespace {

TEST(Permutation, IsOneForEveryCount) {
  for (std::int64_t count = 1; count <= 70; ++count) {
    std::set<std::int64_t> places;
    for (std::int64_t i = 0; i < count; ++i) places.insert(permuted(i, count, 7));
    EXPECT_EQ(places.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(*places.begin(), 0);
    EXPECT_EQ(*places.rbegin(), count - 1);
  }
}

TEST(Permutation, DependsOnTheKey) {
  int same = 0;
  for (std::int64_t i = 0; i < 1000; ++i) same += permuted(i, 1000, 1) == permuted(i, 1000, 2) ? 1 : 0;
  // Two random permutations agree in one place on average; 20 is beyond any chance (Poisson: 1e-19).
  EXPECT_LT(same, 20);
}

// Each place is taken equally often: 8 indices, 8,000 keys, 1,000 expected in each of 64 cells, σ = √(1000·7/8) = 30.
TEST(Permutation, IsUniform) {
  std::vector<int> counts(64);
  for (std::uint64_t key = 0; key < 8000; ++key) {
    for (std::int64_t i = 0; i < 8; ++i) ++counts[static_cast<std::size_t>(8 * i + permuted(i, 8, key))];
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(RandomStream, IsAFunctionOfItsKey) {
  RandomStream a{5};
  RandomStream b{5};
  RandomStream c{6};
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
  EXPECT_NE(first, a.next());
}

// Mean of 10,000 uniform numbers: σ = 1/√(12·10,000) = 0.0029.
TEST(RandomStream, IsUniform) {
  RandomStream random{1};
  double sum = 0.0;
  for (int i = 0; i < 10'000; ++i) sum += random.uniform();
  EXPECT_NEAR(sum / 10'000, 0.5, 0.0145);
}

}  // namespace
}  // namespace shardsim::kernels
