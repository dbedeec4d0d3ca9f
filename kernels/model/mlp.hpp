// The feed-forward branch: fc2(gelu(fc1(x) + bias)).
#pragma once

#include <string>

#include "kernels/model/linear.hpp"
#include "kernels/model/runner.hpp"

namespace shardsim::kernels {

class Mlp {
 public:
  struct Saved {
    Tensor projected;  // fc1(x) before the bias [tokens, ffn of this rank]
    Tensor activated;
  };

  Mlp(const ParameterMap& map, std::int64_t layer, const std::string& prefix);

  /// The branch's output [residual tokens, h] in `output`, before fc2's bias.
  [[nodiscard]] Tensor forward(Runner& runner, ForwardMode mode, const MicroBatch& batch, const Matrix& x,
                               Component output, Saved& saved) const;
  [[nodiscard]] Tensor backward(Runner& runner, const MicroBatch& batch, Gradient dy, const Matrix& x,
                                Saved saved) const;

 private:
  ColumnParallelLinear fc1_;
  RowParallelLinear fc2_;
};

}  // namespace shardsim::kernels
