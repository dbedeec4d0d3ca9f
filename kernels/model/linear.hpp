// Linear layers divided over the tensor-parallel group: y = x·Wᵀ + b.
#pragma once

#include <string>
#include <string_view>

#include "kernels/model/parameter_map.hpp"
#include "kernels/model/runner.hpp"

namespace shardsim::kernels {

/// Rows of W (columns of Wᵀ: outputs) are divided. x [tokens, in] is whole; under sequence parallelism it comes as this
/// rank's rows, is gathered here and again in the backward pass (Korthikanti et al. 2022, section 4.2.2).
class ColumnParallelLinear {
 public:
  ColumnParallelLinear(std::string_view name, const Parameter& weight, const Parameter* bias)
      : name_{name}, weight_{&weight}, bias_{bias} {}

  /// y [tokens, out of this rank]; `add_bias` false where the next operator adds it.
  void forward(Runner& runner, model::Pass pass, const Matrix& x, const Matrix& y, bool add_bias) const;
  /// dx of this rank's rows, summed over the group; dW and db accumulate.
  [[nodiscard]] Tensor backward(Runner& runner, const Matrix& dy, const Matrix& x) const;

  [[nodiscard]] const Parameter& weight() const { return *weight_; }
  [[nodiscard]] Matrix bias() const { return bias_ == nullptr ? Matrix{} : bias_->value; }

 private:
  std::string_view name_;
  const Parameter* weight_;
  const Parameter* bias_;
};

/// Columns of W (inputs) are divided; results are summed over the group. The bias is whole and is added by the residual
/// operator that follows, which computes its gradient too.
class RowParallelLinear {
 public:
  RowParallelLinear(std::string_view name, const Parameter& weight) : name_{name}, weight_{&weight} {}

  /// y [residual tokens, out] in `component`.
  [[nodiscard]] Tensor forward(Runner& runner, model::Pass pass, const Matrix& x, Component component) const;
  /// dx [tokens, in of this rank]; dW accumulates.
  [[nodiscard]] Tensor backward(Runner& runner, Gradient dy, const Matrix& x) const;

 private:
  std::string_view name_;
  const Parameter* weight_;
};

}  // namespace shardsim::kernels
