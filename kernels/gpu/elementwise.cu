#include "kernels/gpu/elementwise.hpp"

#include "kernels/gpu/cuda_backend.hpp"
#include "kernels/gpu/dispatch.cuh"
#include "kernels/gpu/launch.cuh"

namespace shardsim::kernels::gpu {

void CudaBackend::bias_gelu(const Matrix& x, const Matrix& bias, const Matrix& y) {
  with_format(x.dtype, [&]<class T>(Format<T>) {
    for_each_element(stream_, y.rows, y.columns, BiasGelu<T>{read<T>(x), read<T>(bias), write<T>(y)});
  });
}

void CudaBackend::bias_gelu_backward(const Matrix& dy, const Matrix& x, const Matrix& bias, const Matrix& dx) {
  with_format(x.dtype, [&]<class T>(Format<T>) {
    const BiasGeluBackward<T> functor{read<T>(dy), read<T>(x), read<T>(bias), write<T>(dx)};
    for_each_element(stream_, dx.rows, dx.columns, functor);
  });
}

void CudaBackend::bias_tanh(const Matrix& x, const Matrix& bias, const Matrix& y) {
  with_format(x.dtype, [&]<class T>(Format<T>) {
    for_each_element(stream_, y.rows, y.columns, BiasTanh<T>{read<T>(x), read<T>(bias), write<T>(y)});
  });
}

void CudaBackend::tanh_backward(const Matrix& dy, const Matrix& y, const Matrix& dx) {
  with_format(y.dtype, [&]<class T>(Format<T>) {
    for_each_element(stream_, dx.rows, dx.columns, TanhBackward<T>{read<T>(dy), read<T>(y), write<T>(dx)});
  });
}

void CudaBackend::add_bias(const Matrix& y, const Matrix& bias) {
  with_format(y.dtype, [&]<class T>(Format<T>) {
    with_format(bias.dtype, [&]<class B>(Format<B>) {
      for_each_element(stream_, y.rows, y.columns, AddBias<T, B>{read<B>(bias), write<T>(y)});
    });
  });
}

void CudaBackend::copy(const Matrix& from, const Matrix& to) {
  with_format(from.dtype, [&]<class From>(Format<From>) {
    with_format(to.dtype, [&]<class To>(Format<To>) {
      for_each_element(stream_, to.rows, to.columns, Convert<From, To>{read<From>(from), write<To>(to)});
    });
  });
}

void CudaBackend::add(const Matrix& x, const Matrix& y) {
  with_format(x.dtype, [&]<class From>(Format<From>) {
    with_format(y.dtype, [&]<class To>(Format<To>) {
      for_each_element(stream_, y.rows, y.columns, Accumulate<From, To>{read<From>(x), write<To>(y)});
    });
  });
}

void CudaBackend::scale(const Matrix& x, double factor) {
  with_format(x.dtype, [&]<class T>(Format<T>) {
    for_each_element(stream_, x.rows, x.columns, Scale<T>{write<T>(x), static_cast<float>(factor)});
  });
}

void CudaBackend::fill(const Matrix& x, double value) {
  with_format(x.dtype, [&]<class T>(Format<T>) {
    for_each_element(stream_, x.rows, x.columns, Fill<T>{write<T>(x), static_cast<float>(value)});
  });
}

void CudaBackend::embedding(const std::int32_t* ids, const Matrix& table, std::int64_t first_id, const Matrix& y) {
  with_format(table.dtype, [&]<class T>(Format<T>) {
    for_each_element(stream_, y.rows, y.columns, Embed<T, false>{ids, read<T>(table), first_id, write<T>(y)});
  });
}

void CudaBackend::add_embedding(const std::int32_t* ids, const Matrix& table, const Matrix& y) {
  with_format(table.dtype, [&]<class T>(Format<T>) {
    for_each_element(stream_, y.rows, y.columns, Embed<T, true>{ids, read<T>(table), 0, write<T>(y)});
  });
}

void CudaBackend::gather_rows(const Matrix& from, const std::int32_t* rows, const Matrix& to) {
  with_format(from.dtype, [&]<class T>(Format<T>) {
    for_each_element(stream_, to.rows, to.columns, MoveRows<T, false>{read<T>(from), rows, write<T>(to)});
  });
}

void CudaBackend::scatter_add_rows(const Matrix& from, const std::int32_t* rows, const Matrix& to) {
  with_format(from.dtype, [&]<class T>(Format<T>) {
    for_each_element(stream_, from.rows, from.columns, MoveRows<T, true>{read<T>(from), rows, write<T>(to)});
  });
}

}  // namespace shardsim::kernels::gpu
