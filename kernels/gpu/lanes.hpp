// Kernels are functors over rows or elements, written once: a block of GPU threads runs them, and so does one CPU
// thread in the tests, where their index arithmetic is checked without a GPU.
#pragma once

#include <cstdint>

#include "kernels/operators/host_device.hpp"

namespace shardsim::kernels::gpu {

/// The threads that share one row, as a row functor sees them: here a single one.
class OneLane {
 public:
  [[nodiscard]] SHARDSIM_HOST_DEVICE std::int64_t index() const { return 0; }
  [[nodiscard]] SHARDSIM_HOST_DEVICE std::int64_t count() const { return 1; }
  /// Over all lanes; every lane gets the result.
  [[nodiscard]] SHARDSIM_HOST_DEVICE float sum(float value) const { return value; }
  [[nodiscard]] SHARDSIM_HOST_DEVICE float maximum(float value) const { return value; }
};

}  // namespace shardsim::kernels::gpu
