// Functors that give one number per (row, column), summed over rows: gradients of biases and norms.
#pragma once

#include <cstdint>

#include "kernels/gpu/number.hpp"

namespace shardsim::kernels::gpu {

template <class T>
struct ColumnSum {
  View<const T> dy;
  [[nodiscard]] SHARDSIM_HOST_DEVICE float operator()(std::int64_t row, std::int64_t column) const {
    return dy.load(row, column);
  }
};

/// Gradient of a norm's weight: dy · (x − mean)/σ.
template <class T>
struct NormWeightGradient {
  View<const T> dy;
  View<const T> x;
  View<const float> statistics;
  [[nodiscard]] SHARDSIM_HOST_DEVICE float operator()(std::int64_t row, std::int64_t column) const {
    return dy.load(row, column) * (x.load(row, column) - statistics.load(row, 0)) * statistics.load(row, 1);
  }
};

}  // namespace shardsim::kernels::gpu
