// Pieces of the training state, each with its place in a whole parameter: what a rank stores, and what it wants back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/model/parameter.hpp"

namespace shardsim::kernels {

/// Elements begin … begin + n − 1, in row-major order, of a rank's part of a parameter.
struct StateSlice {
  /// "weight", "master", "first_moment", "second_moment" or any other word.
  std::string kind;
  std::string parameter;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  /// The part: a rectangle of the whole.
  std::int64_t first_row = 0;
  std::int64_t first_column = 0;
  std::int64_t part_rows = 0;
  std::int64_t part_columns = 0;
  std::int64_t begin = 0;
  /// One row of n elements, in the memory that is trained in.
  Matrix data;
};

/// Cuts `data`, the state of elements first … of a rank's flat buffers, at the parameters' borders. Padding between
/// parameters is left out.
[[nodiscard]] std::vector<StateSlice> state_slices(const std::string& kind, const ParameterBuffers& buffers,
                                                   std::int64_t first, const Matrix& data);

/// Neighbouring elements of one row of the whole, `position` elements into the slice's data.
struct RowRun {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t count = 0;
  std::int64_t position = 0;
};

[[nodiscard]] std::vector<RowRun> rows_of(const StateSlice& slice);

/// What of `run` lies inside the slice, with its position in the slice's data; count 0 where they do not meet.
[[nodiscard]] RowRun meeting(const RowRun& run, const StateSlice& slice);

}  // namespace shardsim::kernels
