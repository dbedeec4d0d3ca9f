#include "kernels/tensor/tensor.hpp"

#include <string>

#include "sim/base/check.hpp"

namespace shardsim::kernels {
namespace {

/// `matrix` from element `offset` on, in another shape.
Matrix part(const Matrix& matrix, std::int64_t offset, std::int64_t rows, std::int64_t columns) {
  Matrix view = matrix;
  view.data = matrix.as<std::byte>() + offset * storage_size(matrix.dtype).value();
  view.rows = rows;
  view.columns = columns;
  return view;
}

std::string text(const Matrix& matrix) { return std::to_string(matrix.rows) + " × " + std::to_string(matrix.columns); }

}  // namespace

Matrix Matrix::row_range(std::int64_t first, std::int64_t count) const {
  SHARDSIM_CHECK(first >= 0 && count >= 0 && first + count <= rows, text(*this));
  return part(*this, first * stride, count, columns);
}

Matrix Matrix::column_range(std::int64_t first, std::int64_t count) const {
  SHARDSIM_CHECK(first >= 0 && count >= 0 && first + count <= columns, text(*this));
  return part(*this, first, rows, count);
}

Matrix Matrix::reshaped(std::int64_t new_rows, std::int64_t new_columns) const {
  SHARDSIM_CHECK(contiguous() && new_rows * new_columns == elements(), text(*this));
  Matrix view = part(*this, 0, new_rows, new_columns);
  view.stride = new_columns;
  return view;
}

Tensor::Tensor(Memory& memory, Component component, DType dtype, std::int64_t rows, std::int64_t columns)
    : memory_{&memory}, component_{component}, view_{nullptr, dtype, rows, columns, columns} {
  view_.data = memory.allocate(view_.bytes(), component);
}

Tensor::Tensor(Tensor&& other) noexcept
    : memory_{std::exchange(other.memory_, nullptr)},
      component_{other.component_},
      view_{std::exchange(other.view_, Matrix{})} {}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  reset();
  memory_ = std::exchange(other.memory_, nullptr);
  component_ = other.component_;
  view_ = std::exchange(other.view_, Matrix{});
  return *this;
}

Tensor::~Tensor() { reset(); }

void Tensor::reset() {
  if (memory_ != nullptr) memory_->release(view_.data, view_.bytes(), component_);
  memory_ = nullptr;
  view_ = Matrix{};
}

}  // namespace shardsim::kernels
