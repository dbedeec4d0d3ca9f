// Elements of any stored format, computed with in fp32.
#pragma once

#include <cstdint>

#include "kernels/gpu/lanes.hpp"

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace shardsim::kernels::gpu {

/// A row-major matrix of T inside a functor.
template <class T>
struct View {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;

  [[nodiscard]] SHARDSIM_HOST_DEVICE float load(std::int64_t row, std::int64_t column) const {
    return static_cast<float>(data[row * stride + column]);
  }
  SHARDSIM_HOST_DEVICE void store(std::int64_t row, std::int64_t column, float value) const {
    data[row * stride + column] = static_cast<T>(value);
  }
  [[nodiscard]] SHARDSIM_HOST_DEVICE bool empty() const { return data == nullptr; }
};

}  // namespace shardsim::kernels::gpu
