#include "kernels/reference/values.hpp"

#include <bit>

#include "sim/base/check.hpp"

namespace shardsim::kernels::reference {
namespace {

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const bool nan = value != value;
  return static_cast<std::uint16_t>(nan ? 0x7FC0U : (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

float from_bf16(std::uint16_t stored) { return std::bit_cast<float>(std::uint32_t{stored} << 16); }

double get(const Matrix& matrix, std::int64_t index) {
  if (matrix.dtype == DType::bf16) return static_cast<double>(from_bf16(matrix.as<std::uint16_t>()[index]));
  if (matrix.dtype == DType::fp16) return static_cast<double>(matrix.as<_Float16>()[index]);
  return static_cast<double>(matrix.as<float>()[index]);
}

void set(const Matrix& matrix, std::int64_t index, double value) {
  if (matrix.dtype == DType::bf16) {
    matrix.as<std::uint16_t>()[index] = to_bf16(static_cast<float>(value));
  } else if (matrix.dtype == DType::fp16) {
    matrix.as<_Float16>()[index] = static_cast<_Float16>(value);
  } else {
    matrix.as<float>()[index] = static_cast<float>(value);
  }
}

}  // namespace

Values load(const Matrix& matrix) {
  if (matrix.data == nullptr) return {};
  return generate(matrix.rows, matrix.columns, [&](auto r, auto c) { return get(matrix, r * matrix.stride + c); });
}

void store(const Values& values, const Matrix& matrix) {
  SHARDSIM_CHECK(values.rows * values.columns == matrix.elements(), "the result has another shape");
  for (std::int64_t i = 0; i < matrix.elements(); ++i) {
    set(matrix, i / matrix.columns * matrix.stride + i % matrix.columns, values.data[static_cast<std::size_t>(i)]);
  }
}

}  // namespace shardsim::kernels::reference
