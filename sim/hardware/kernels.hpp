// Memory-bound kernels that a device may have been timed at one by one, each over several sizes.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sim/base/units.hpp"

namespace shardsim::hardware {

enum class Kernel {
  layer_norm,
  layer_norm_backward,
  gelu,
  gelu_backward,
  dropout_add,
  dropout_add_backward,
  bias_add,
  dropout,
  dropout_backward,
  attention_dropout,
  softmax,
  softmax_backward,
  causal_softmax,
  causal_softmax_backward,
  bias_gradient,
  add,
  embedding,
  embedding_gradient,
  add_embedding,
  row_maximum,
  exponentiate,
  cross_entropy_backward,
  adam,
  sum_of_squares,
  fill,
};
/// By Kernel.
inline constexpr std::array kKernelNames = std::to_array<std::string_view>({"layer_norm",
                                                                            "layer_norm_backward",
                                                                            "gelu",
                                                                            "gelu_backward",
                                                                            "dropout_add",
                                                                            "dropout_add_backward",
                                                                            "bias_add",
                                                                            "dropout",
                                                                            "dropout_backward",
                                                                            "attention_dropout",
                                                                            "softmax",
                                                                            "softmax_backward",
                                                                            "causal_softmax",
                                                                            "causal_softmax_backward",
                                                                            "bias_gradient",
                                                                            "add",
                                                                            "embedding",
                                                                            "embedding_gradient",
                                                                            "add_embedding",
                                                                            "row_maximum",
                                                                            "exponentiate",
                                                                            "cross_entropy_backward",
                                                                            "adam",
                                                                            "sum_of_squares",
                                                                            "fill"});
inline constexpr std::size_t kKernels = kKernelNames.size();

constexpr std::string_view name_of(Kernel kernel) { return kKernelNames[static_cast<std::size_t>(kernel)]; }

/// What one kernel reaches when it moves `bytes`: caches make small sizes fast, arithmetic makes some kernels slow.
struct MeasuredKernel {
  Kernel kernel = Kernel::layer_norm;
  Bytes bytes{0};
  BytesPerSecond bandwidth{0.0};
};

}  // namespace shardsim::hardware
