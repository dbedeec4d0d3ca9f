#include "kernels/model/residual.hpp"

#include "kernels/model/random_key.hpp"

namespace shardsim::kernels {

DropoutSite residual_dropout(const Runner& runner, const MicroBatch& batch, std::int64_t layer, std::string_view site) {
  const std::int64_t sequences = runner.sizes().sequences;
  return {dropout_key(runner.seed(), batch.iteration, layer, site),
          runner.scenario().model.hidden_dropout,
          batch.first_sample,
          sequences,
          runner.first_residual_row() / sequences,
          0};
}

Array<std::uint8_t> BiasDropoutAdd::forward(Runner& runner, ForwardMode mode, const MicroBatch& batch, const Matrix& x,
                                            const Matrix& residual) const {
  const DropoutSite site = residual_dropout(runner, batch, layer_, name_);
  Array<std::uint8_t> mask;
  if (site.probability > 0) mask = {runner.memory(), mode.kept, x.elements()};
  runner.memory_bound(
      model::OperatorKind::elementwise, {name_, mode.pass}, x, 3 * x.bytes() + Bytes{mask.count()},
      [&](Backend& backend) { backend.bias_dropout_add(x, bias_->value, residual, site, x, mask.data()); });
  return mask;
}

Gradient BiasDropoutAdd::backward(Runner& runner, const Matrix& dy, const Array<std::uint8_t>& mask) const {
  Gradient dx;
  if (!mask.empty()) dx.owned = runner.temporary(dy.rows, dy.columns);
  dx.matrix = mask.empty() ? dy : dx.owned.view();
  const Bytes dropout = mask.empty() ? Bytes{0} : 2 * dy.bytes() + Bytes{mask.count()};
  runner.memory_bound(model::OperatorKind::elementwise, {name_, model::Pass::backward}, dy, dropout + dy.bytes(),
                      [&](Backend& backend) {
                        if (!mask.empty()) {
                          backend.dropout_backward(dy, mask.data(), runner.scenario().model.hidden_dropout, dx.matrix);
                        }
                        backend.bias_gradient(dx.matrix, bias_->gradient);
                      });
  return dx;
}

}  // namespace shardsim::kernels
