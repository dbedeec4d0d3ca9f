#include "kernels/model/masked_lm_transform.hpp"

namespace shardsim::kernels {

using model::OperatorKind;
using model::Pass;

MaskedLmTransform::MaskedLmTransform(const ParameterMap& map)
    : weight_{&map.at("lm_head.dense.weight")},
      bias_{&map.at("lm_head.dense.bias")},
      norm_{"lm_head_layernorm", map, "lm_head.layer_norm"} {}

Tensor MaskedLmTransform::forward(Runner& runner, const Matrix& x, Saved& saved) const {
  const ForwardMode mode;
  saved.projected = runner.tensor(mode.kept, x.rows, x.columns);
  const Matrix& projected = saved.projected;
  runner.product({"lm_head_dense"}, {x}, {weight_->value, true}, projected);
  saved.activated = runner.tensor(mode.kept, x.rows, x.columns);
  const Matrix& activated = saved.activated;
  runner.memory_bound(OperatorKind::elementwise, {"lm_head_gelu"}, activated, projected.bytes() + activated.bytes(),
                      [&](Backend& backend) { backend.bias_gelu(projected, bias_->value, activated); });
  Tensor y = runner.tensor(mode.kept, x.rows, x.columns);
  saved.statistics = norm_.forward(runner, mode, activated, y);
  return y;
}

Tensor MaskedLmTransform::backward(Runner& runner, Tensor gradient, const Matrix& x, Saved saved) const {
  const Matrix& dy = gradient;
  norm_.backward(runner, dy, saved.activated, saved.statistics);
  runner.memory_bound(OperatorKind::elementwise, {"lm_head_gelu", Pass::backward}, dy, 3 * dy.bytes(),
                      [&](Backend& backend) { backend.bias_gelu_backward(dy, saved.projected, bias_->value, dy); });
  Tensor dx = runner.temporary(x.rows, x.columns);
  runner.product({"lm_head_dense", Pass::input_gradient}, {dy}, {weight_->value}, dx);
  runner.accumulate_product("lm_head_dense", {dy, true}, {x}, weight_->gradient);
  runner.bias_gradient("lm_head_dense", dy, bias_->gradient);
  return dx;
}

}  // namespace shardsim::kernels
