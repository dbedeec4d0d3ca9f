// How functors become kernels: one thread an element, one block a row, and sums over rows in two steps whose order is
// fixed. Indices are 64 bit: logits of 8,192 × 50,304 fit 32 bits, whole flat buffers do not.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "kernels/gpu/errors.hpp"
#include "kernels/gpu/lanes.hpp"

namespace shardsim::kernels::gpu {

inline constexpr int kThreads = 256;
inline constexpr int kWarp = 32;

/// The threads of one block.
class BlockLanes {
 public:
  __device__ explicit BlockLanes(float* shared) : shared_{shared} {}
  [[nodiscard]] __device__ std::int64_t index() const { return threadIdx.x; }
  [[nodiscard]] __device__ std::int64_t count() const { return blockDim.x; }
  [[nodiscard]] __device__ float sum(float value) {
    return reduce(value, [](float a, float b) { return a + b; });
  }
  [[nodiscard]] __device__ float maximum(float value) {
    return reduce(value, [](float a, float b) { return fmaxf(a, b); });
  }

 private:
  /// Butterfly inside each warp, then over the warps' results, which all threads read.
  template <class Combine>
  __device__ float reduce(float value, Combine combine) {
    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
      value = combine(value, __shfl_xor_sync(0xffffffffU, value, offset));
    }
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const int warps = static_cast<int>(blockDim.x) / kWarp;
    __syncthreads();  // the previous reduction's values have been read
    if (threadIdx.x % kWarp == 0) shared_[warp] = value;
    __syncthreads();
    float result = shared_[0];
    for (int i = 1; i < warps; ++i) result = combine(result, shared_[i]);
    return result;
  }

  float* shared_;
};

template <class Functor>
__global__ void element_kernel(std::int64_t rows, std::int64_t columns, Functor functor) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * columns;
       i += step) {
    functor(i / columns, i % columns);
  }
}

template <class Functor>
__global__ void row_kernel(Functor functor) {
  __shared__ float shared[kThreads / kWarp];
  BlockLanes lanes{shared};
  functor(static_cast<std::int64_t>(blockIdx.x), lanes);
}

/// Block (x, y) sums rows y·share … of 32 columns; its eight row lanes are added in order.
template <class Functor>
__global__ void column_kernel(std::int64_t rows, std::int64_t columns, std::int64_t share, Functor functor,
                              float* partial) {
  __shared__ float sums[kThreads / kWarp][kWarp];
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kWarp + threadIdx.x;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * share;
  const std::int64_t last = min(rows, first + share);
  float sum = 0.0F;
  if (column < columns) {
    for (std::int64_t r = first + threadIdx.y; r < last; r += blockDim.y) sum += functor(r, column);
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= columns) return;
  for (unsigned i = 1; i < blockDim.y; ++i) sum += sums[i][threadIdx.x];
  partial[static_cast<std::int64_t>(blockIdx.y) * columns + column] = sum;
}

template <class Functor>
void for_each_element(cudaStream_t stream, std::int64_t rows, std::int64_t columns, const Functor& functor) {
  if (rows * columns == 0) return;
  constexpr std::int64_t kMostBlocks = 1 << 16;
  const auto blocks = std::min<std::int64_t>((rows * columns + kThreads - 1) / kThreads, kMostBlocks);
  element_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(rows, columns, functor);
  check(cudaGetLastError(), "kernel launch");
}

template <class Functor>
void for_each_row(cudaStream_t stream, std::int64_t rows, const Functor& functor) {
  if (rows == 0) return;
  row_kernel<<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(functor);
  check(cudaGetLastError(), "kernel launch");
}

/// Row shares of a column sum: enough blocks to fill the device, few enough partial sums.
inline constexpr std::int64_t kRowShares = 32;

/// partial [kRowShares, columns] = sums over shares of the rows; the caller adds them (in order).
template <class Functor>
void sum_rows(cudaStream_t stream, std::int64_t rows, std::int64_t columns, const Functor& functor, float* partial) {
  const dim3 blocks{static_cast<unsigned>((columns + kWarp - 1) / kWarp), static_cast<unsigned>(kRowShares)};
  const std::int64_t share = (rows + kRowShares - 1) / kRowShares;
  column_kernel<<<blocks, dim3{kWarp, kThreads / kWarp}, 0, stream>>>(rows, columns, share, functor, partial);
  check(cudaGetLastError(), "kernel launch");
}

}  // namespace shardsim::kernels::gpu
