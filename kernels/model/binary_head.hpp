// BERT's sentence-order head (Devlin et al. 2019): tanh of a dense layer over each sequence's first token, two classes.
// Every tensor-parallel rank computes it whole.
#pragma once

#include <cstdint>

#include "kernels/model/parameter_map.hpp"
#include "kernels/model/runner.hpp"

namespace shardsim::kernels {

class BinaryHead {
 public:
  struct Saved {
    Tensor first_tokens;  // [sequences, h]
    Tensor pooled;
    Tensor exponentials;  // [sequences, 2] fp32
    Tensor sum;
  };

  explicit BinaryHead(const ParameterMap& map);

  /// `hidden` [residual tokens, h]; Σ weight · loss is added to `total` [1,1] fp32.
  void forward(Runner& runner, const MicroBatch& batch, const Matrix& hidden, const Matrix& total, Saved& saved) const;
  /// Adds to the gradient of `hidden`.
  void backward(Runner& runner, const MicroBatch& batch, const Matrix& dhidden, Saved saved) const;

 private:
  [[nodiscard]] Tensor first_tokens(Runner& runner, const Matrix& hidden) const;

  const Parameter* pooler_weight_;
  const Parameter* pooler_bias_;
  const Parameter* weight_;
  const Parameter* bias_;
};

}  // namespace shardsim::kernels
