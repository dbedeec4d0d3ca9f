#include "calibrate/measure/bench.hpp"

namespace shardsim::calibrate {

using kernels::Component;
using kernels::Matrix;

Arena::Arena(kernels::Backend& backend) : backend_{backend}, memory_{backend.memory()} {}

Matrix Arena::matrix(std::int64_t rows, std::int64_t columns, double low, double high) {
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  // A short period: making numbers must not take longer than measuring with them.
  constexpr std::size_t kPeriod = 4093;
  std::uniform_real_distribution<float> uniform{static_cast<float>(low), static_cast<float>(high)};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i < kPeriod ? uniform(random_) : values[i - kPeriod];
  tensors_.emplace_back(memory_, Component::temporaries, kernels::DType::fp32, rows, columns);
  const Matrix& view = tensors_.back().view();
  backend_.upload(values.data(), view.data, view.bytes());
  return view;
}

Matrix Arena::whole_numbers(std::int64_t rows, std::int64_t columns) {
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7 + i / 4093 % 5) - 4.0F;
  const Matrix view = matrix(rows, columns);
  backend_.upload(values.data(), view.data, view.bytes());
  return view;
}

std::uint8_t* Arena::mask(std::int64_t count) {
  std::vector<std::uint8_t> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 10 != 3 ? 1 : 0;
  masks_.emplace_back(memory_, Component::temporaries, count);
  backend_.upload(values.data(), masks_.back().data(), Bytes{count});
  return masks_.back().data();
}

const std::int32_t* Arena::ids(std::int64_t count, std::int64_t below) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  std::uniform_int_distribution<std::int32_t> uniform{0, static_cast<std::int32_t>(below - 1)};
  for (std::int32_t& value : values) value = uniform(random_);
  ids_.emplace_back(memory_, Component::temporaries, count);
  backend_.upload(values.data(), ids_.back().data(), Bytes{4 * count});
  return ids_.back().data();
}

Matrix Arena::copy_of(const Matrix& matrix) {
  tensors_.emplace_back(memory_, Component::temporaries, matrix.dtype, matrix.rows, matrix.columns);
  backend_.copy(matrix, tensors_.back().view());
  return tensors_.back().view();
}

}  // namespace shardsim::calibrate
