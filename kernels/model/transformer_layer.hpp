// One transformer layer, pre-norm (GPT-2, Megatron's BERT) or post-norm (the original BERT).
#pragma once

#include <cstdint>

#include "kernels/model/attention.hpp"
#include "kernels/model/mlp.hpp"
#include "kernels/model/residual_block.hpp"

namespace shardsim::kernels {

class TransformerLayer {
 public:
  struct Saved {
    ResidualBlock<SelfAttention>::Saved attention;
    ResidualBlock<Mlp>::Saved mlp;
  };

  /// `layer`: of the whole model.
  TransformerLayer(const model::Scenario& scenario, const ParameterMap& map, std::int64_t layer);

  /// The next activation of the residual stream, in `output`.
  [[nodiscard]] Tensor forward(Runner& runner, ForwardMode mode, const MicroBatch& batch, Tensor input,
                               Component output, Saved& saved) const;
  [[nodiscard]] Tensor backward(Runner& runner, const MicroBatch& batch, Tensor gradient, Saved saved) const;

 private:
  ResidualBlock<SelfAttention> attention_;
  ResidualBlock<Mlp> mlp_;
};

}  // namespace shardsim::kernels
