#include "kernels/gpu/optimizer.hpp"

#include <numeric>
#include <vector>

#include "kernels/gpu/cuda_backend.hpp"
#include "kernels/gpu/dispatch.cuh"
#include "kernels/gpu/launch.cuh"

namespace shardsim::kernels::gpu {
namespace {

constexpr int kReductionBlocks = 512;

/// partial[block] = this block's share of Σ x or Σ x², in double; a fixed assignment, so that results repeat.
template <class T>
__global__ void reduce_kernel(View<const T> x, bool squared, double* partial) {
  __shared__ double shared[kThreads];
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  double sum = 0.0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < x.rows * x.columns;
       i += step) {
    const double value = x.load(i / x.columns, i % x.columns);
    sum += squared ? value * value : value;
  }
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = shared[0];
}

AdamConstants constants(const AdamStep& step) {
  const auto correction = [&](double beta) {
    return static_cast<float>(1.0 / (1.0 - std::pow(beta, static_cast<double>(step.step))));
  };
  return {static_cast<float>(step.learning_rate),
          static_cast<float>(step.beta1),
          static_cast<float>(step.beta2),
          static_cast<float>(step.epsilon),
          static_cast<float>(step.weight_decay),
          static_cast<float>(step.gradient_scale),
          correction(step.beta1),
          correction(step.beta2)};
}

}  // namespace

double CudaBackend::reduce_elements(const Matrix& x, bool squared) {
  constexpr auto kBytes = static_cast<std::int64_t>(kReductionBlocks * sizeof(double));
  auto* partial = static_cast<double*>(scratch(kBytes));
  with_format(x.dtype, [&]<class T>(Format<T>) {
    reduce_kernel<<<kReductionBlocks, kThreads, 0, stream_>>>(read<T>(x), squared, partial);
  });
  check(cudaGetLastError(), "kernel launch");
  std::vector<double> sums(kReductionBlocks);
  download(partial, sums.data(), Bytes{kBytes});
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

double CudaBackend::sum_of_squares(const Matrix& x) { return reduce_elements(x, true); }

double CudaBackend::sum(const Matrix& x) { return reduce_elements(x, false); }

void CudaBackend::adam(const Matrix& gradient, const AdamStep& step, const Matrix& master, const Matrix& first_moment,
                       const Matrix& second_moment, const Matrix& weights) {
  with_format(gradient.dtype, [&]<class G>(Format<G>) {
    with_format(weights.dtype, [&]<class W>(Format<W>) {
      const Adam<G, W> functor{gradient.as<const G>(),   constants(step),           master.as<float>(),
                               first_moment.as<float>(), second_moment.as<float>(), weights.as<W>()};
      for_each_element(stream_, 1, master.elements(), functor);
    });
  });
}

}  // namespace shardsim::kernels::gpu
