// All parameters of a rank in one flat buffer each for values and gradients, and how data-parallel ranks share them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/model/parameter.hpp"
#include "kernels/operators/backend.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::kernels {

/// Elements of the flat buffers.
struct Range {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Where parameters lie, and which ranges are reduced as one message: the buckets cover the buffers, in order.
struct FlatLayout {
  /// Of each parameter, its first element.
  std::vector<std::int64_t> offsets;
  std::vector<Range> buckets;
  std::int64_t elements = 0;
};

/// Buckets of at least `bucket_elements` whole parameters (0: one bucket), each padded to a multiple of `shards`. A
/// shared embedding has a bucket of its own where there are shards, so that first and last stage divide it alike.
[[nodiscard]] FlatLayout lay_out(const std::vector<Parameter>& parameters, std::int64_t shards,
                                 std::int64_t bucket_elements);

/// The layout that the scenario asks for: shards with ZeRO-1, several buckets where the reduction is overlapped.
[[nodiscard]] FlatLayout lay_out(const std::vector<Parameter>& parameters, const model::Scenario& scenario);

/// Allocates both buffers, points the parameters into them and fills values with first values, gradients with 0.
[[nodiscard]] ParameterBuffers make_buffers(std::vector<Parameter> parameters, const FlatLayout& layout, Memory& memory,
                                            Backend& backend, std::uint64_t seed);

/// What one data-parallel rank updates of one parameter, or of a part of it.
struct Piece {
  Range flat;
  /// First element in the optimizer's state.
  std::int64_t state = 0;
  bool weight_decay = true;
  bool counts_in_norm = true;
};

/// The share of rank `shard` of each bucket.
[[nodiscard]] std::vector<Range> shard_ranges(const FlatLayout& layout, std::int64_t shards, std::int64_t shard);

/// The parameters inside those ranges, neighbours of equal kind joined; state elements lie as the ranges do, one after
/// another.
[[nodiscard]] std::vector<Piece> pieces_of(const std::vector<Parameter>& parameters, const FlatLayout& layout,
                                           const std::vector<Range>& ranges);

/// Those elements of a flat buffer as one row.
[[nodiscard]] inline Matrix part_of(const Matrix& flat, Range range) {
  return flat.column_range(range.first, range.count);
}

}  // namespace shardsim::kernels
