#include "kernels/model/linear.hpp"

namespace shardsim::kernels {

using model::Pass;

void ColumnParallelLinear::forward(Runner& runner, Pass pass, const Matrix& x, const Matrix& y, bool add_bias) const {
  Tensor gathered;
  if (runner.sizes().sequence_parallel) gathered = runner.all_gather({name_, pass}, x);
  const Matrix& input = gathered.empty() ? x : gathered.view();
  runner.product({name_, pass}, {input}, {weight_->value, true}, y, add_bias ? bias() : Matrix{});
}

Tensor ColumnParallelLinear::backward(Runner& runner, const Matrix& dy, const Matrix& x) const {
  Tensor gathered;
  if (runner.sizes().sequence_parallel) gathered = runner.all_gather({name_, Pass::backward}, x);
  const Matrix& input = gathered.empty() ? x : gathered.view();
  Tensor partial = runner.temporary(dy.rows, input.columns);
  runner.product({name_, Pass::input_gradient}, {dy}, {weight_->value}, partial);
  Tensor dx = runner.reduce({name_, Pass::backward}, std::move(partial), Component::temporaries);
  runner.accumulate_product(name_, {dy, true}, {input}, weight_->gradient);
  if (bias_ != nullptr) runner.bias_gradient(name_, dy, bias_->gradient);
  return dx;
}

Tensor RowParallelLinear::forward(Runner& runner, Pass pass, const Matrix& x, Component component) const {
  Tensor partial = runner.tensor(runner.partial_component(component), x.rows, weight_->value.rows);
  runner.product({name_, pass}, {x}, {weight_->value, true}, partial);
  return runner.reduce({name_, pass}, std::move(partial), component);
}

Tensor RowParallelLinear::backward(Runner& runner, Gradient dy, const Matrix& x) const {
  if (runner.sizes().sequence_parallel) {
    dy.owned = runner.all_gather({name_, Pass::backward}, dy.matrix);
    dy.matrix = dy.owned;
  }
  Tensor dx = runner.temporary(x.rows, x.columns);
  runner.product({name_, Pass::input_gradient}, {dy.matrix}, {weight_->value}, dx);
  runner.accumulate_product(name_, {dy.matrix, true}, {x}, weight_->gradient);
  return dx;
}

}  // namespace shardsim::kernels
