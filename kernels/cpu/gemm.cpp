#include <Eigen/Core>
#include <algorithm>
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

/// `matrix`, or its copy without gaps: strides of many kilobytes (heads of activations) cost packing a tenth of a
/// product.
Matrix dense(const Matrix& matrix, Stored& copy) {
  if (matrix.contiguous()) return matrix;
  copy = view_of(matrix);
  return {copy.data(), matrix.dtype, matrix.rows, matrix.columns, matrix.columns};
}

Matrix member(const MatrixBatch& batch, std::int64_t index) {
  Matrix matrix = batch.first;
  matrix.data = matrix.as<float>() + index * batch.step;
  return matrix;
}

}  // namespace

// Eigen packs up to the last-level cache's size, which on servers is hundreds of megabytes shared by all cores:
// products are no faster for it, and a rank would use memory that nobody counts. It also cuts the inner dimension so
// that a panel fits into the first-level cache; the panel lives as well in the second level, and every cut reads and
// writes the result once more. With 48 KiB, 768 is cut in two, not three: logits take 7 % less time.
CpuBackend::CpuBackend() {
  constexpr std::ptrdiff_t kLeastL1 = std::ptrdiff_t{48} << 10;
  constexpr std::ptrdiff_t kMostL3 = std::ptrdiff_t{4} << 20;
  Eigen::setCpuCacheSizes(std::max(Eigen::l1CacheSize(), kLeastL1), Eigen::l2CacheSize(),
                          std::min(Eigen::l3CacheSize(), kMostL3));
}

void CpuBackend::gemm(const Operand& a, const Operand& b, const Matrix& c, bool accumulate) {
  multiply(a, b, c, 1.0F, accumulate);
}

void CpuBackend::batched_gemm(const OperandBatch& a, const OperandBatch& b, const MatrixBatch& c, double scale) {
  SHARDSIM_CHECK(a.batch.count == c.count && b.batch.count == c.count, std::to_string(c.count) + " products");
  Stored left, right, product;
  for (std::int64_t i = 0; i < c.count; ++i) {
    const Matrix result = member(c, i);
    const Matrix dense_result = dense(result, product);
    multiply({dense(member(a.batch, i), left), a.transposed}, {dense(member(b.batch, i), right), b.transposed},
             dense_result, static_cast<float>(scale), false);
    if (dense_result.data != result.data) view_of(result) = view_of(dense_result);
  }
}

}  // namespace shardsim::kernels
