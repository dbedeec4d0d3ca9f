#include <Eigen/Core>
#include <utility>

#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/rows.hpp"

namespace shardsim::kernels {
namespace {

using Stored = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<Stored, Eigen::Unaligned, Eigen::OuterStride<>>;

View view_of(const Matrix& matrix) {
  return {matrix.as<float>(), matrix.rows, matrix.columns, Eigen::OuterStride<>(matrix.stride)};
}

template <class A, class B>
void product(const A& a, const B& b, View c, float scale, bool accumulate) {
  if (!accumulate) c.setZero();
  c.noalias() += scale * a * b;
}

std::pair<std::int64_t, std::int64_t> shape_of(const Matrix& matrix, bool transposed) {
  if (transposed) return {matrix.columns, matrix.rows};
  return {matrix.rows, matrix.columns};
}

void multiply(const Operand& a, const Operand& b, const Matrix& c, float scale, bool accumulate) {
  const auto [m, k] = shape_of(a.matrix, a.transposed);
  const auto [k_of_b, n] = shape_of(b.matrix, b.transposed);
  SHARDSIM_CHECK(k == k_of_b, std::to_string(k) + " columns times " + std::to_string(k_of_b) + " rows");
  check_shape(c, m, n);
  check_same_shape(a.matrix, a.matrix);
  check_same_shape(b.matrix, b.matrix);
  const View left = view_of(a.matrix);
  const View right = view_of(b.matrix);
  const View result = view_of(c);
  if (a.transposed && b.transposed) {
    product(left.transpose(), right.transpose(), result, scale, accumulate);
  } else if (a.transposed) {
    product(left.transpose(), right, result, scale, accumulate);
  } else if (b.transposed) {
    product(left, right.transpose(), result, scale, accumulate);
  } else {
    product(left, right, result, scale, accumulate);
  }
}

Matrix member(const MatrixBatch& batch, std::int64_t index) {
  Matrix matrix = batch.first;
  matrix.data = matrix.as<float>() + index * batch.step;
  return matrix;
}

}  // namespace

void CpuBackend::gemm(const Operand& a, const Operand& b, const Matrix& c, bool accumulate) {
  multiply(a, b, c, 1.0F, accumulate);
}

void CpuBackend::batched_gemm(const OperandBatch& a, const OperandBatch& b, const MatrixBatch& c, double scale) {
  SHARDSIM_CHECK(a.batch.count == c.count && b.batch.count == c.count, std::to_string(c.count) + " products");
  for (std::int64_t i = 0; i < c.count; ++i) {
    multiply({member(a.batch, i), a.transposed}, {member(b.batch, i), b.transposed}, member(c, i),
             static_cast<float>(scale), false);
  }
}

}  // namespace shardsim::kernels
