// A matrix of doubles, and its exchange with stored matrices of any format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/tensor/tensor.hpp"

namespace shardsim::kernels::reference {

struct Values {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> data;

  Values() = default;
  Values(std::int64_t row_count, std::int64_t column_count)
      : rows{row_count}, columns{column_count}, data(static_cast<std::size_t>(row_count * column_count)) {}

  double& operator()(std::int64_t row, std::int64_t column) {
    return data[static_cast<std::size_t>(row * columns + column)];
  }
  double operator()(std::int64_t row, std::int64_t column) const {
    return data[static_cast<std::size_t>(row * columns + column)];
  }
};

/// function(row, column) for every element.
template <class Function>
[[nodiscard]] Values generate(std::int64_t rows, std::int64_t columns, Function&& function) {
  Values values(rows, columns);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) values(r, c) = function(r, c);
  }
  return values;
}

/// Matrices in host memory: fp32, bf16 or fp16, rounded to nearest even when stored.
[[nodiscard]] Values load(const Matrix& matrix);
void store(const Values& values, const Matrix& matrix);

}  // namespace shardsim::kernels::reference
