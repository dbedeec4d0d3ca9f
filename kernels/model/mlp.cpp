#include "kernels/model/mlp.hpp"

namespace shardsim::kernels {

using model::OperatorKind;
using model::Pass;

Mlp::Mlp(const ParameterMap& map, std::int64_t /*layer*/, const std::string& prefix)
    : fc1_{"linear_fc1", map.at(prefix + "linear_fc1.weight"), &map.at(prefix + "linear_fc1.bias")},
      fc2_{"linear_fc2", map.at(prefix + "linear_fc2.weight")} {}

Tensor Mlp::forward(Runner& runner, ForwardMode mode, const MicroBatch& /*batch*/, const Matrix& x, Component output,
                    Saved& saved) const {
  const model::RankSizes& sizes = runner.sizes();
  saved.projected = runner.tensor(mode.kept, sizes.tokens, sizes.fc1_width);
  fc1_.forward(runner, mode.pass, x, saved.projected, false);
  saved.activated = runner.tensor(mode.kept, sizes.tokens, sizes.ffn);
  const Matrix& projected = saved.projected;
  const Matrix& activated = saved.activated;
  runner.memory_bound(OperatorKind::elementwise, {"activation_func", mode.pass}, activated,
                      projected.bytes() + activated.bytes(),
                      [&](Backend& backend) { backend.bias_gelu(projected, fc1_.bias(), activated); });
  return fc2_.forward(runner, mode.pass, activated, output);
}

Tensor Mlp::backward(Runner& runner, const MicroBatch& /*batch*/, Gradient dy, const Matrix& x, Saved saved) const {
  const Tensor gradient = fc2_.backward(runner, std::move(dy), saved.activated);
  const Matrix& dhidden = gradient;
  runner.memory_bound(OperatorKind::elementwise, {"activation_func", Pass::backward}, dhidden,
                      2 * dhidden.bytes() + saved.projected.view().bytes(), [&](Backend& backend) {
                        backend.bias_gelu_backward(dhidden, saved.projected, fc1_.bias(), dhidden);
                      });
  return fc1_.backward(runner, dhidden, x);
}

}  // namespace shardsim::kernels
