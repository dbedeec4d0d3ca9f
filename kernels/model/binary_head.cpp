#include "kernels/model/binary_head.hpp"

namespace shardsim::kernels {
namespace {

using model::OperatorKind;
using model::Pass;

constexpr std::int64_t kClasses = 2;

/// Each sequence counts the same.
Tensor sentence_weights(Runner& runner, const MicroBatch& batch) {
  Tensor weights = runner.fp32(Component::temporaries, runner.sizes().sequences, 1);
  runner.operations().backend().fill(weights, batch.sentence_order_weight);
  return weights;
}

/// The rows of position 0 lie on the first rank under sequence parallelism.
bool holds_first_tokens(const Runner& runner) { return runner.first_residual_row() == 0; }

}  // namespace

BinaryHead::BinaryHead(const ParameterMap& map)
    : pooler_weight_{&map.at("pooler.weight")},
      pooler_bias_{&map.at("pooler.bias")},
      weight_{&map.at("binary_head.weight")},
      bias_{&map.at("binary_head.bias")} {}

Tensor BinaryHead::first_tokens(Runner& runner, const Matrix& hidden) const {
  const std::int64_t sequences = runner.sizes().sequences;
  Tensor rows = runner.tensor(Component::activations, sequences, hidden.columns);
  if (holds_first_tokens(runner)) {
    runner.operations().backend().copy(hidden.row_range(0, sequences), rows);
  } else {
    runner.operations().backend().fill(rows, 0.0);
  }
  if (runner.sizes().sequence_parallel) runner.all_reduce({"pooler"}, rows);
  return rows;
}

void BinaryHead::forward(Runner& runner, const MicroBatch& batch, const Matrix& hidden, const Matrix& total,
                         Saved& saved) const {
  const std::int64_t sequences = runner.sizes().sequences;
  saved.first_tokens = first_tokens(runner, hidden);
  saved.pooled = runner.tensor(Component::activations, sequences, hidden.columns);
  const Matrix& pooled = saved.pooled;
  runner.product({"pooler"}, {saved.first_tokens}, {pooler_weight_->value, true}, pooled);
  runner.memory_bound(OperatorKind::elementwise, {"pooler_tanh"}, pooled, 2 * pooled.bytes(),
                      [&](Backend& backend) { backend.bias_tanh(pooled, pooler_bias_->value, pooled); });
  saved.exponentials = runner.fp32(Component::logits, sequences, kClasses);
  const Matrix& logits = saved.exponentials;
  runner.product({"binary_head"}, {pooled}, {weight_->value, true}, logits, bias_->value);

  saved.sum = runner.fp32(Component::logits, sequences, 1);
  const Tensor maximum = runner.fp32(Component::temporaries, sequences, 1);
  const Tensor target = runner.fp32(Component::temporaries, sequences, 1);
  const Tensor weights = sentence_weights(runner, batch);
  runner.memory_bound(OperatorKind::cross_entropy, {"binary_cross_entropy"}, logits, 3 * logits.bytes(),
                      [&](Backend& backend) {
                        backend.row_maximum(logits, maximum);
                        backend.exponentiate(logits, maximum, batch.sentence_order.data(), 0, saved.sum, target);
                        backend.token_losses(saved.sum, target, maximum);
                        backend.gemm({maximum, true}, {weights}, total, true);
                      });
}

void BinaryHead::backward(Runner& runner, const MicroBatch& batch, const Matrix& dhidden, Saved saved) const {
  const Tensor weights = sentence_weights(runner, batch);
  const Tensor gradient = runner.temporary(runner.sizes().sequences, kClasses);
  const Matrix& dlogits = gradient;
  runner.memory_bound(OperatorKind::cross_entropy, {"binary_cross_entropy", Pass::backward}, dlogits,
                      saved.exponentials.view().bytes() + dlogits.bytes(), [&](Backend& backend) {
                        backend.cross_entropy_backward(saved.exponentials, saved.sum, batch.sentence_order.data(), 0,
                                                       weights, dlogits);
                      });
  const Matrix& pooled = saved.pooled;
  const Tensor pooled_gradient = runner.temporary(pooled.rows, pooled.columns);
  const Matrix& dpooled = pooled_gradient;
  runner.product({"binary_head", Pass::input_gradient}, {dlogits}, {weight_->value}, dpooled);
  runner.accumulate_product("binary_head", {dlogits, true}, {pooled}, weight_->gradient);
  runner.bias_gradient("binary_head", dlogits, bias_->gradient);
  runner.memory_bound(OperatorKind::elementwise, {"pooler_tanh", Pass::backward}, dpooled, 3 * dpooled.bytes(),
                      [&](Backend& backend) { backend.tanh_backward(dpooled, pooled, dpooled); });
  const Tensor dfirst = runner.temporary(pooled.rows, pooled.columns);
  runner.product({"pooler", Pass::input_gradient}, {dpooled}, {pooler_weight_->value}, dfirst);
  runner.accumulate_product("pooler", {dpooled, true}, {saved.first_tokens}, pooler_weight_->gradient);
  runner.bias_gradient("pooler", dpooled, pooler_bias_->gradient);
  if (holds_first_tokens(runner)) {
    runner.operations().backend().add(dfirst, dhidden.row_range(0, runner.sizes().sequences));
  }
}

}  // namespace shardsim::kernels
