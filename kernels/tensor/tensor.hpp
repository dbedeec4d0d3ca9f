// Matrices in device memory: non-owning views and the owning, tracked tensor.
#pragma once

#include <cstdint>
#include <utility>

#include "kernels/tensor/memory.hpp"
#include "sim/model/dtype.hpp"

namespace shardsim::kernels {

using model::DType;

/// rows × columns elements, row-major, consecutive rows `stride` elements apart. Activations are [s·b, h], row
/// position·sequences + sequence, as Megatron-LM lays them out (s, b, h).
struct Matrix {
  void* data = nullptr;
  DType dtype = DType::fp32;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;

  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data);
  }
  [[nodiscard]] std::int64_t elements() const { return rows * columns; }
  [[nodiscard]] bool contiguous() const { return stride == columns || rows <= 1; }
  /// Payload without the gaps of a wider stride.
  [[nodiscard]] Bytes bytes() const { return elements() * storage_size(dtype); }
  [[nodiscard]] Matrix row_range(std::int64_t first, std::int64_t count) const;
  [[nodiscard]] Matrix column_range(std::int64_t first, std::int64_t count) const;
  /// The same contiguous elements in another shape.
  [[nodiscard]] Matrix reshaped(std::int64_t new_rows, std::int64_t new_columns) const;
};

/// `count` equal matrices, their first elements `step` elements apart.
struct MatrixBatch {
  Matrix first;
  std::int64_t count = 1;
  std::int64_t step = 0;
};

/// Owns a contiguous matrix; move-only. Converts to the view that operators take.
class Tensor {
 public:
  Tensor() = default;
  /// Uninitialised. `memory` must outlive the tensor.
  Tensor(Memory& memory, Component component, DType dtype, std::int64_t rows, std::int64_t columns);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor();

  [[nodiscard]] bool empty() const { return memory_ == nullptr; }
  [[nodiscard]] const Matrix& view() const { return view_; }
  operator const Matrix&() const { return view_; }  // NOLINT(google-explicit-constructor): a tensor is a matrix
  void reset();

 private:
  Memory* memory_ = nullptr;
  Component component_ = Component::temporaries;
  Matrix view_;
};

/// A byte mask or 32-bit token ids in device memory, tracked like a Tensor.
template <class T>
class Array {
 public:
  Array() = default;
  Array(Memory& memory, Component component, std::int64_t count)
      : memory_{&memory}, component_{component}, count_{count} {
    data_ = static_cast<T*>(memory.allocate(bytes(), component));
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    Array moved{static_cast<Array&&>(other)};
    swap(moved);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    if (memory_ != nullptr) memory_->release(data_, bytes(), component_);
  }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] bool empty() const { return memory_ == nullptr; }

 private:
  [[nodiscard]] Bytes bytes() const { return Bytes{count_ * static_cast<std::int64_t>(sizeof(T))}; }
  void swap(Array& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(component_, other.component_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
  }

  Memory* memory_ = nullptr;
  Component component_ = Component::temporaries;
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

}  // namespace shardsim::kernels
