// Test data on a device: the same smooth numbers on every backend, and results brought back to the host.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/operators/backend.hpp"

namespace shardsim::kernels::gpu {

class Arena {
 public:
  explicit Arena(Backend& backend) : backend_{backend}, memory_{backend.memory()} {}

  [[nodiscard]] Backend& backend() { return backend_; }

  /// rows × columns of irregular numbers in (−1, 1), the same for the same phase.
  [[nodiscard]] Matrix numbers(std::int64_t rows, std::int64_t columns, double phase, DType dtype = DType::fp32) {
    std::vector<float> values(static_cast<std::size_t>(rows * columns));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(std::sin(1.7 * static_cast<double>(i % 100003) + phase));
    }
    return stored(values, rows, columns, dtype);
  }
  [[nodiscard]] Matrix constant(std::int64_t rows, std::int64_t columns, float value, DType dtype = DType::fp32) {
    const Matrix matrix = empty(rows, columns, dtype);
    backend_.fill(matrix, value);
    return matrix;
  }
  [[nodiscard]] Matrix empty(std::int64_t rows, std::int64_t columns, DType dtype = DType::fp32) {
    tensors_.emplace_back(memory_, Component::workspace, dtype, rows, columns);
    return tensors_.back().view();
  }
  [[nodiscard]] const std::int32_t* ids(const std::vector<std::int32_t>& values) {
    ids_.emplace_back(memory_, Component::workspace, static_cast<std::int64_t>(values.size()));
    backend_.upload(values.data(), ids_.back().data(), Bytes{ids_.back().count() * 4});
    return ids_.back().data();
  }
  [[nodiscard]] std::uint8_t* mask(std::int64_t count) {
    masks_.emplace_back(memory_, Component::workspace, count);
    return masks_.back().data();
  }

  [[nodiscard]] std::vector<float> values(const Matrix& matrix) {
    const Matrix single = empty(matrix.rows, matrix.columns);
    backend_.copy(matrix, single);
    std::vector<float> host(static_cast<std::size_t>(matrix.elements()));
    backend_.download(single.data, host.data(), single.bytes());
    return host;
  }
  [[nodiscard]] std::vector<float> values(const std::uint8_t* mask, std::int64_t count) {
    std::vector<std::uint8_t> host(static_cast<std::size_t>(count));
    backend_.download(mask, host.data(), Bytes{count});
    return {host.begin(), host.end()};
  }

 private:
  [[nodiscard]] Matrix stored(const std::vector<float>& values, std::int64_t rows, std::int64_t columns, DType dtype) {
    const Matrix single = empty(rows, columns);
    backend_.upload(values.data(), single.data, single.bytes());
    if (dtype == DType::fp32) return single;
    const Matrix converted = empty(rows, columns, dtype);
    backend_.copy(single, converted);
    return converted;
  }

  Backend& backend_;
  Memory memory_;
  std::vector<Tensor> tensors_;
  std::vector<Array<std::int32_t>> ids_;
  std::vector<Array<std::uint8_t>> masks_;
};

}  // namespace shardsim::kernels::gpu
