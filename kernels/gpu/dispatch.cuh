// From a matrix's runtime format to a functor's type.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/gpu/number.hpp"
#include "kernels/tensor/tensor.hpp"
#include "sim/base/check.hpp"

namespace shardsim::kernels::gpu {

template <class T>
struct Format {
  using type = T;
};

/// work(Format<T>{}) with the element type of `dtype`.
template <class Work>
void with_format(DType dtype, const Work& work) {
  switch (dtype) {
    case DType::fp32:
    case DType::tf32:
      return work(Format<float>{});
    case DType::bf16:
      return work(Format<__nv_bfloat16>{});
    case DType::fp16:
      return work(Format<__half>{});
    case DType::fp8:
      break;
  }
  SHARDSIM_CHECK(false, "fp8 is not stored");
}

template <class T>
View<const T> read(const Matrix& matrix) {
  return {static_cast<const T*>(matrix.data), matrix.rows, matrix.columns, matrix.stride};
}
template <class T>
View<T> write(const Matrix& matrix) {
  return {static_cast<T*>(matrix.data), matrix.rows, matrix.columns, matrix.stride};
}

}  // namespace shardsim::kernels::gpu
