// BERT's transform before the tied decoder (Devlin et al. 2019): norm(gelu(dense(x))), whole on every rank, over this
// rank's rows.
#pragma once

#include "kernels/model/layer_norm.hpp"
#include "kernels/model/parameter_map.hpp"
#include "kernels/model/runner.hpp"

namespace shardsim::kernels {

class MaskedLmTransform {
 public:
  struct Saved {
    Tensor projected;  // before bias and gelu
    Tensor activated;
    Tensor statistics;
  };

  explicit MaskedLmTransform(const ParameterMap& map);

  [[nodiscard]] Tensor forward(Runner& runner, const Matrix& x, Saved& saved) const;
  [[nodiscard]] Tensor backward(Runner& runner, Tensor gradient, const Matrix& x, Saved saved) const;

 private:
  const Parameter* weight_;
  const Parameter* bias_;
  LayerNorm norm_;
};

}  // namespace shardsim::kernels
