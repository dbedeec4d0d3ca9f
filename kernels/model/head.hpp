// What follows the last layer: final norm, output projection over the vocabulary shard, loss, and BERT's heads.
#pragma once

#include <optional>

#include "kernels/model/binary_head.hpp"
#include "kernels/model/cross_entropy.hpp"
#include "kernels/model/layer_norm.hpp"
#include "kernels/model/linear.hpp"
#include "kernels/model/masked_lm_transform.hpp"

namespace shardsim::kernels {

class Head {
 public:
  struct Saved {
    Tensor input;  // pre-norm only: what the final norm sees
    Tensor statistics;
    Tensor hidden;
    MaskedLmTransform::Saved transform;
    Tensor transformed;  // BERT: what the output projection sees (GPT: `hidden`)
    BinaryHead::Saved binary;
    Tensor logits;  // fp32 [tokens, vocabulary of this rank]
    Tensor sum;
  };
  /// [1,1] fp32 each.
  struct Totals {
    Matrix language_model;
    Matrix sentence_order;
  };

  Head(const model::Scenario& scenario, const ParameterMap& map);

  void forward(Runner& runner, const MicroBatch& batch, Tensor input, const Totals& totals, Saved& saved) const;
  [[nodiscard]] Tensor backward(Runner& runner, const MicroBatch& batch, const Totals& totals, Saved saved) const;

 private:
  [[nodiscard]] LossRows loss_rows(const MicroBatch& batch, const Matrix& total) const;
  void exclude_padding(Runner& runner, const Matrix& logits) const;
  [[nodiscard]] Tensor logit_gradient(Runner& runner, const LossRows& rows, Saved& saved) const;

  std::optional<LayerNorm> norm_;
  std::optional<MaskedLmTransform> transform_;
  std::optional<BinaryHead> binary_;
  ColumnParallelLinear output_;
};

}  // namespace shardsim::kernels
