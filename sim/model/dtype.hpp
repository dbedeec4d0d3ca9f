// Number formats of matrices, parameters and gradients.
#pragma once

#include "sim/base/units.hpp"

namespace shardsim::model {

/// tf32 is stored as fp32, fp8 training stores bf16: the format names the matrix products' operands.
enum class DType { fp32, tf32, bf16, fp16, fp8 };
inline constexpr int kDTypes = 5;

/// Bytes of one element as parameters and activations are stored in training with this matrix format.
constexpr Bytes storage_size(DType dtype) {
  switch (dtype) {
    case DType::fp32:
    case DType::tf32:
      return Bytes{4};
    case DType::bf16:
    case DType::fp16:
    case DType::fp8:
      return Bytes{2};
  }
  return Bytes{0};
}

/// True where an fp32 master copy of the parameters is kept beside the stored ones.
constexpr bool needs_master_weights(DType dtype) { return storage_size(dtype) < Bytes{4}; }

}  // namespace shardsim::model
