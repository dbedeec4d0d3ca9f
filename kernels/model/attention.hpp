// Unfused self attention: this rank's heads, two batched products around masked softmax and dropout.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/model/linear.hpp"
#include "kernels/model/runner.hpp"

namespace shardsim::kernels {

class SelfAttention {
 public:
  /// Softmax of the scores [sequences·heads·queries, keys] and the same after dropout (empty without).
  struct Core {
    Tensor probabilities;
    Tensor dropped;
    Array<std::uint8_t> mask;
  };
  struct Saved {
    Tensor qkv;  // [tokens, heads·3·d]: query, key and value of each head side by side
    Core core;   // empty where it is recomputed
    Tensor context;
  };

  SelfAttention(const ParameterMap& map, std::int64_t layer, const std::string& prefix);

  /// The branch's output [residual tokens, h] in `output`, before the projection's bias.
  [[nodiscard]] Tensor forward(Runner& runner, ForwardMode mode, const MicroBatch& batch, const Matrix& x,
                               Component output, Saved& saved) const;
  [[nodiscard]] Tensor backward(Runner& runner, const MicroBatch& batch, Gradient dy, const Matrix& x,
                                Saved saved) const;

 private:
  [[nodiscard]] Core core_forward(Runner& runner, ForwardMode mode, const MicroBatch& batch, const Matrix& qkv,
                                  const Matrix& context) const;
  [[nodiscard]] Tensor core_backward(Runner& runner, const MicroBatch& batch, Tensor dcontext, const Core& core,
                                     const Matrix& qkv) const;

  std::int64_t layer_;
  ColumnParallelLinear qkv_;
  RowParallelLinear proj_;
};

}  // namespace shardsim::kernels
