#include "kernels/gpu/rows.hpp"

#include "kernels/gpu/columns.hpp"
#include "kernels/gpu/cuda_backend.hpp"
#include "kernels/gpu/dispatch.cuh"
#include "kernels/gpu/launch.cuh"

namespace shardsim::kernels::gpu {
namespace {

/// target += the partial sums of its columns, in the order of the shares.
template <class T>
struct AddPartialSums {
  const float* partial;
  View<T> target;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t, std::int64_t column) const {
    float sum = target.load(0, column);
    for (std::int64_t share = 0; share < kRowShares; ++share) sum += partial[share * target.columns + column];
    target.store(0, column, sum);
  }
};

struct TokenLosses {
  const float* sum;
  const float* target;
  float* losses;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t, std::int64_t t) const { losses[t] = std::log(sum[t]) - target[t]; }
};

/// (e/sum − [target]) · weight of the token.
template <class T>
struct CrossEntropyBackward {
  View<const float> exponentials;
  const float* sum;
  const std::int32_t* targets;
  std::int64_t first_id;
  const float* weights;
  View<T> dlogits;
  SHARDSIM_HOST_DEVICE void operator()(std::int64_t r, std::int64_t c) const {
    const float probability = exponentials.load(r, c) / sum[r];
    const float own = targets[r] - first_id == c ? 1.0F : 0.0F;
    dlogits.store(r, c, (probability - own) * weights[r]);
  }
};

}  // namespace

void CudaBackend::add_partial_sums(const float* partial, const Matrix& target) {
  with_format(target.dtype, [&]<class T>(Format<T>) {
    for_each_element(stream_, 1, target.columns, AddPartialSums<T>{partial, write<T>(target)});
  });
}

void CudaBackend::layer_norm(const Matrix& x, const Matrix& weight, const Matrix& bias, double epsilon, const Matrix& y,
                             const Matrix& statistics) {
  with_format(x.dtype, [&]<class T>(Format<T>) {
    const LayerNorm<T> functor{read<T>(x),  read<T>(weight), read<T>(bias), static_cast<float>(epsilon),
                               write<T>(y), write<float>(statistics)};
    for_each_row(stream_, x.rows, functor);
  });
}

void CudaBackend::layer_norm_backward(const Matrix& dy, const Matrix& x, const Matrix& weight, const Matrix& statistics,
                                      const Matrix& dx, const Matrix& dweight, const Matrix& dbias) {
  auto* partial = static_cast<float*>(scratch(kRowShares * x.columns * static_cast<std::int64_t>(sizeof(float))));
  with_format(x.dtype, [&]<class T>(Format<T>) {
    // Sums over rows first: dx may overwrite dy.
    sum_rows(stream_, x.rows, x.columns, NormWeightGradient<T>{read<T>(dy), read<T>(x), read<float>(statistics)},
             partial);
    add_partial_sums(partial, dweight);
    sum_rows(stream_, x.rows, x.columns, ColumnSum<T>{read<T>(dy)}, partial);
    add_partial_sums(partial, dbias);
    const LayerNormBackward<T> functor{read<T>(dy), read<T>(x), read<T>(weight), read<float>(statistics),
                                       write<T>(dx)};
    for_each_row(stream_, x.rows, functor);
  });
}

void CudaBackend::bias_gradient(const Matrix& dy, const Matrix& dbias) {
  auto* partial = static_cast<float*>(scratch(kRowShares * dy.columns * static_cast<std::int64_t>(sizeof(float))));
  with_format(dy.dtype, [&]<class T>(Format<T>) {
    sum_rows(stream_, dy.rows, dy.columns, ColumnSum<T>{read<T>(dy)}, partial);
  });
  add_partial_sums(partial, dbias);
}

void CudaBackend::masked_softmax(const Matrix& scores, const AttentionShape& shape, double scale,
                                 const Matrix& probabilities) {
  with_format(scores.dtype, [&]<class T>(Format<T>) {
    const MaskedSoftmax<T> functor{read<T>(scores), shape, static_cast<float>(scale),
                                   write<T>(probabilities)};
    for_each_row(stream_, scores.rows, functor);
  });
}

void CudaBackend::masked_softmax_backward(const Matrix& dprobabilities, const Matrix& probabilities,
                                          const AttentionShape& shape, double scale, const Matrix& dscores) {
  with_format(probabilities.dtype, [&]<class T>(Format<T>) {
    const MaskedSoftmaxBackward<T> functor{read<T>(dprobabilities), read<T>(probabilities), shape,
                                           static_cast<float>(scale), write<T>(dscores)};
    for_each_row(stream_, probabilities.rows, functor);
  });
}

void CudaBackend::row_maximum(const Matrix& logits, const Matrix& maximum) {
  for_each_row(stream_, logits.rows, RowMaximum{read<float>(logits), maximum.as<float>()});
}

void CudaBackend::exponentiate(const Matrix& logits, const Matrix& maximum, const std::int32_t* targets,
                               std::int64_t first_id, const Matrix& sum, const Matrix& target) {
  const Exponentiate functor{write<float>(logits), maximum.as<float>(), targets,
                             first_id,             sum.as<float>(),     target.as<float>()};
  for_each_row(stream_, logits.rows, functor);
}

void CudaBackend::token_losses(const Matrix& sum, const Matrix& target, const Matrix& losses) {
  for_each_element(stream_, 1, losses.elements(),
                   TokenLosses{sum.as<float>(), target.as<float>(), losses.as<float>()});
}

void CudaBackend::cross_entropy_backward(const Matrix& exponentials, const Matrix& sum, const std::int32_t* targets,
                                         std::int64_t first_id, const Matrix& weights, const Matrix& dlogits) {
  with_format(dlogits.dtype, [&]<class T>(Format<T>) {
    const CrossEntropyBackward<T> functor{
        read<float>(exponentials), sum.as<float>(), targets, first_id, weights.as<float>(), write<T>(dlogits)};
    for_each_element(stream_, dlogits.rows, dlogits.columns, functor);
  });
}

void CudaBackend::embedding_backward(const std::int32_t* ids, const Matrix& dy, std::int64_t first_id,
                                     const Matrix& dtable) {
  with_format(dy.dtype, [&]<class T>(Format<T>) {
    with_format(dtable.dtype, [&]<class G>(Format<G>) {
      for_each_row(stream_, dy.rows, EmbeddingBackward<T, G>{ids, read<T>(dy), first_id, write<G>(dtable)});
    });
  });
}

}  // namespace shardsim::kernels::gpu
