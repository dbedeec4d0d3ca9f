// Parameters of one rank: views into flat buffers, so that data-parallel reduction and the optimizer run over ranges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/tensor/tensor.hpp"

namespace shardsim::kernels {

/// How a whole matrix is divided over the tensor-parallel group.
enum class Sharding { replicated, rows, columns };

/// How a new parameter is filled: normal(0, σ) by hash of (seed, name, global element), zeros or ones.
struct Initial {
  enum class Kind { normal, zeros, ones } kind = Kind::zeros;
  double deviation = 0.0;
};

struct Parameter {
  /// Megatron's name without rank or chunk, by global layer: "decoder.layers.7.self_attention.linear_qkv.weight".
  std::string name;
  /// Of the whole matrix, before sharding (vectors: one row). Linear weights are [out, in], as PyTorch keeps them.
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Sharding sharding = Sharding::replicated;
  /// This rank's first row or column, of the whole.
  std::int64_t first = 0;
  Initial initial;
  /// Of the stage's blocks (embedding, layer or head, over its chunks in the order of the model), the one that owns it.
  std::int64_t block = 0;
  bool weight_decay = true;
  /// Replicated, but each tensor-parallel rank sees only its tokens (norms and row-parallel biases under sequence
  /// parallelism): gradients are summed over the tensor group before the step.
  bool sum_gradient_over_tensor_group = false;
  /// Word embedding tied between first and last stage: gradients are summed over the embedding group.
  bool shared_embedding = false;
  /// Counts once in the gradient norm: false on all but one of the ranks that hold a copy.
  bool counts_in_norm = true;
  /// This rank's part, inside the flat buffers.
  Matrix value;
  Matrix gradient;
};

/// All parameters of a rank in one flat buffer each for values and gradients, in the order of the model.
struct ParameterBuffers {
  Tensor values;
  Tensor gradients;
  std::vector<Parameter> parameters;
};

}  // namespace shardsim::kernels
