#include "kernels/trainer/flat_buffers.hpp"

#include <gtest/gtest.h>

namespace shardsim::kernels {
namespace {

Parameter parameter(std::int64_t elements, bool decay = true, bool shared = false) {
  Parameter result;
  result.value.rows = 1;
  result.value.columns = elements;
  result.weight_decay = decay;
  result.shared_embedding = shared;
  return result;
}

TEST(FlatLayout, IsOneBucketWithoutASize) {
  const FlatLayout layout = lay_out({parameter(5), parameter(7)}, 1, 0);
  EXPECT_EQ(layout.elements, 12);
  EXPECT_EQ(layout.offsets, (std::vector<std::int64_t>{0, 5}));
  ASSERT_EQ(layout.buckets.size(), 1U);
}

TEST(FlatLayout, PadsEachBucketForItsShards) {
  // 5 + 7 reach 10, padded to 12 (divides by 4 already); 6 is padded to 8.
  const FlatLayout layout = lay_out({parameter(5), parameter(7), parameter(6)}, 4, 10);
  ASSERT_EQ(layout.buckets.size(), 2U);
  EXPECT_EQ(layout.buckets[0].count, 12);
  EXPECT_EQ(layout.buckets[1].first, 12);
  EXPECT_EQ(layout.buckets[1].count, 8);
  EXPECT_EQ(layout.elements, 20);
}

TEST(FlatLayout, GivesASharedEmbeddingItsOwnBucketWhereItIsSharded) {
  const std::vector<Parameter> parameters{parameter(3), parameter(8, true, true), parameter(5)};
  EXPECT_EQ(lay_out(parameters, 1, 0).buckets.size(), 1U);
  const FlatLayout layout = lay_out(parameters, 2, 0);
  ASSERT_EQ(layout.buckets.size(), 3U);
  EXPECT_EQ(layout.offsets[1], 4);
  EXPECT_EQ(layout.buckets[1].count, 8);
}

TEST(Pieces, CoverEveryParameterOnceOverAllShards) {
  const std::vector<Parameter> parameters{parameter(5), parameter(3, false), parameter(2, false), parameter(9)};
  const FlatLayout layout = lay_out(parameters, 2, 0);
  std::vector<int> covered(static_cast<std::size_t>(layout.elements), 0);
  for (std::int64_t shard = 0; shard < 2; ++shard) {
    for (const Piece& piece : pieces_of(parameters, layout, shard_ranges(layout, 2, shard))) {
      for (std::int64_t i = 0; i < piece.flat.count; ++i) {
        const std::int64_t element = piece.flat.first + i;
        ++covered[static_cast<std::size_t>(element)];
        EXPECT_EQ(piece.weight_decay, element < 5 || element >= 10) << element;
        EXPECT_EQ(piece.state + i, element - shard * 10) << element;
      }
    }
  }
  // 19 parameters and one element of padding.
  for (std::size_t i = 0; i < covered.size(); ++i) EXPECT_EQ(covered[i], i < 19 ? 1 : 0) << i;
}

}  // namespace
}  // namespace shardsim::kernels
