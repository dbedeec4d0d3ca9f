// Layer norm over this rank's rows of the residual stream (Ba et al. 2016).
#pragma once

#include <string_view>

#include "kernels/model/parameter_map.hpp"
#include "kernels/model/runner.hpp"

namespace shardsim::kernels {

class LayerNorm {
 public:
  /// `parameters`: their prefix, to which ".weight" and ".bias" belong.
  LayerNorm(std::string_view name, const ParameterMap& map, const std::string& parameters)
      : name_{name}, weight_{&map.at(parameters + ".weight")}, bias_{&map.at(parameters + ".bias")} {}

  /// Mean and 1/σ of each row, kept for the backward pass.
  [[nodiscard]] Tensor forward(Runner& runner, ForwardMode mode, const Matrix& x, const Matrix& y) const {
    Tensor statistics = runner.fp32(mode.kept, x.rows, 2);
    runner.memory_bound(
        model::OperatorKind::normalization, {name_, mode.pass}, x, x.bytes() + y.bytes(),
        [&](Backend& backend) { backend.layer_norm(x, weight_->value, bias_->value, kEpsilon, y, statistics); });
    return statistics;
  }
  /// In place: dy becomes dx.
  void backward(Runner& runner, const Matrix& dy, const Matrix& x, const Matrix& statistics) const {
    runner.memory_bound(model::OperatorKind::normalization, {name_, model::Pass::backward}, x,
                        x.bytes() + 2 * dy.bytes(), [&](Backend& backend) {
                          backend.layer_norm_backward(dy, x, weight_->value, statistics, dy, weight_->gradient,
                                                      bias_->gradient);
                        });
  }

 private:
  static constexpr double kEpsilon = 1e-5;  // Megatron-LM's --layernorm-epsilon

  std::string_view name_;
  const Parameter* weight_;
  const Parameter* bias_;
};

}  // namespace shardsim::kernels
