// One operator on buffers of its own, ready to be timed and checked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "calibrate/measure/local_samples.hpp"
#include "kernels/operators/backend.hpp"
#include "kernels/tensor/tensor.hpp"
#include "sim/hardware/kernels.hpp"

namespace shardsim::calibrate {

/// Buffers on one backend, filled with the same numbers each time they are made.
class Arena {
 public:
  explicit Arena(kernels::Backend& backend);

  [[nodiscard]] kernels::Backend& backend() { return backend_; }
  /// Uniform in [low, high).
  [[nodiscard]] kernels::Matrix matrix(std::int64_t rows, std::int64_t columns, double low = -1.0, double high = 1.0);
  /// Small whole numbers, whose products add up without rounding.
  [[nodiscard]] kernels::Matrix whole_numbers(std::int64_t rows, std::int64_t columns);
  /// 0 or 1.
  [[nodiscard]] std::uint8_t* mask(std::int64_t count);
  /// In [0, below).
  [[nodiscard]] const std::int32_t* ids(std::int64_t count, std::int64_t below);
  /// A second buffer with the same numbers.
  [[nodiscard]] kernels::Matrix copy_of(const kernels::Matrix& matrix);
  [[nodiscard]] const std::vector<kernels::Tensor>& tensors() const { return tensors_; }

 private:
  kernels::Backend& backend_;
  kernels::Memory memory_;
  std::mt19937 random_{1};
  std::vector<kernels::Tensor> tensors_;
  std::vector<kernels::Array<std::uint8_t>> masks_;
  std::vector<kernels::Array<std::int32_t>> ids_;
};

/// What is timed; buffers live in the arena.
struct Workload {
  std::function<void()> run;
  /// Puts back what `run` changed, as the operator before it in a training step leaves it: fresh in the caches.
  std::function<void()> restore;
  /// Some operands were last used long before: the caches are emptied first.
  bool cold = false;
  /// Empty, or what is wrong with the result.
  std::function<std::string()> check;
};

struct Case {
  Subject subject;
  std::function<Workload(Arena&)> make;
};

/// Products m×k · k×n as linear layers run them: TN forward, NN input gradient, NT weight gradient with accumulation.
[[nodiscard]] Case product_case(const std::string& layout, std::int64_t m, std::int64_t n, std::int64_t k);

/// Of unfused attention over `heads` heads of size `head`, one sequence of `keys`, in the trainer's layout.
[[nodiscard]] std::vector<Case> attention_cases(std::int64_t keys, std::int64_t heads, std::int64_t head);

/// A memory-bound kernel over rows × columns; its result is checked against the naive reference on a few rows.
[[nodiscard]] Case kernel_case(hardware::Kernel kernel, std::int64_t rows, std::int64_t columns);

/// Bytes that a kernel moves for each element, as sim/model counts them.
[[nodiscard]] std::int64_t bytes_per_element(hardware::Kernel kernel);

}  // namespace shardsim::calibrate
