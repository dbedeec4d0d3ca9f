// Rows of fp32 matrices, and the checks of shapes that every kernel begins with.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/tensor/tensor.hpp"
#include "sim/base/check.hpp"

namespace shardsim::kernels {

inline float* row_of(const Matrix& matrix, std::int64_t row) { return matrix.as<float>() + row * matrix.stride; }

inline void check_shape(const Matrix& matrix, std::int64_t rows, std::int64_t columns) {
  SHARDSIM_CHECK(storage_size(matrix.dtype) == Bytes{4}, "the CPU computes in fp32");
  SHARDSIM_CHECK(matrix.rows == rows && matrix.columns == columns,
                 std::to_string(matrix.rows) + " × " + std::to_string(matrix.columns) + " instead of " +
                     std::to_string(rows) + " × " + std::to_string(columns));
}
inline void check_same_shape(const Matrix& matrix, const Matrix& like) { check_shape(matrix, like.rows, like.columns); }

/// row(first element of the row in each matrix…, columns) for each row; one long row where all are contiguous.
template <class Function, class... Others>
void for_each_row(Function&& function, const Matrix& first, const Others&... others) {
  check_shape(first, first.rows, first.columns);
  (check_same_shape(others, first), ...);
  if (first.contiguous() && (others.contiguous() && ...)) {
    function(first.elements(), row_of(first, 0), row_of(others, 0)...);
    return;
  }
  for (std::int64_t r = 0; r < first.rows; ++r) function(first.columns, row_of(first, r), row_of(others, r)...);
}

}  // namespace shardsim::kernels
