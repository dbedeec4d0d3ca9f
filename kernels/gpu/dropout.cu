#include "kernels/gpu/dropout.hpp"

#include "kernels/gpu/cuda_backend.hpp"
#include "kernels/gpu/dispatch.cuh"
#include "kernels/gpu/launch.cuh"

namespace shardsim::kernels::gpu {
namespace {

/// Columns of a bias that may be absent.
template <class T>
View<const T> optional(const Matrix& bias) {
  return bias.data == nullptr ? View<const T>{} : read<T>(bias);
}

}  // namespace

void CudaBackend::bias_dropout_add(const Matrix& x, const Matrix& bias, const Matrix& residual,
                                   const DropoutSite& dropout, const Matrix& y, std::uint8_t* mask) {
  with_format(x.dtype, [&]<class T>(Format<T>) {
    const BiasDropoutAdd<T> functor{
        read<T>(x),  optional<T>(bias), read<T>(residual), dropout, drop_threshold(dropout.probability),
        write<T>(y), mask};
    for_each_element(stream_, x.rows, column_groups(x.columns), functor);
  });
}

void CudaBackend::dropout(const Matrix& x, const DropoutSite& dropout, const Matrix& y, std::uint8_t* mask) {
  with_format(x.dtype, [&]<class T>(Format<T>) {
    const Dropout<T, ActivationRows> functor{
        read<T>(x), {dropout}, drop_threshold(dropout.probability), write<T>(y), mask};
    for_each_element(stream_, x.rows, column_groups(x.columns), functor);
  });
}

void CudaBackend::attention_dropout(const Matrix& probabilities, const AttentionShape& shape,
                                    const DropoutSite& dropout, const Matrix& y, std::uint8_t* mask) {
  with_format(probabilities.dtype, [&]<class T>(Format<T>) {
    const Dropout<T, AttentionRows> functor{
        read<T>(probabilities), {dropout, shape}, drop_threshold(dropout.probability), write<T>(y), mask};
    for_each_element(stream_, probabilities.rows, column_groups(probabilities.columns), functor);
  });
}

void CudaBackend::dropout_backward(const Matrix& dy, const std::uint8_t* mask, double probability, const Matrix& dx) {
  with_format(dy.dtype, [&]<class T>(Format<T>) {
    const DropoutBackward<T> functor{read<T>(dy), mask, static_cast<float>(1.0 / (1.0 - probability)), write<T>(dx)};
    for_each_element(stream_, dy.rows, dy.columns, functor);
  });
}

}  // namespace shardsim::kernels::gpu
