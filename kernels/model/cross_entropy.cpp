#include "kernels/model/cross_entropy.hpp"

namespace shardsim::kernels {
namespace {

using model::OperatorKind;
using model::Pass;

constexpr std::string_view kName = "vocab_parallel_cross_entropy";

}  // namespace

Tensor CrossEntropy::forward(Runner& runner, const Matrix& logits, const LossRows& rows) {
  const Tensor maximum = runner.fp32(Component::temporaries, logits.rows, 1);
  runner.memory_bound(OperatorKind::cross_entropy, {kName}, logits, logits.bytes(),
                      [&](Backend& backend) { backend.row_maximum(logits, maximum); });
  runner.all_reduce({"logits_max"}, maximum, Reduction::maximum);

  Tensor sum = runner.fp32(Component::logits, logits.rows, 1);
  const Tensor target = runner.fp32(Component::temporaries, logits.rows, 1);
  runner.memory_bound(OperatorKind::cross_entropy, {kName}, logits, 2 * logits.bytes(), [&](Backend& backend) {
    backend.exponentiate(logits, maximum, rows.targets, rows.first_id, sum, target);
  });
  runner.all_reduce({"predicted_logits"}, target);
  runner.all_reduce({"sum_exp_logits"}, sum);

  const Matrix& losses = maximum;  // no longer needed
  runner.memory_bound(OperatorKind::cross_entropy, {kName}, losses, 3 * losses.bytes(),
                      [&](Backend& backend) { backend.token_losses(sum, target, losses); });
  runner.operations().backend().gemm({losses, true}, {rows.weights.reshaped(logits.rows, 1)}, rows.total, true);
  return sum;
}

void CrossEntropy::backward(Runner& runner, const Matrix& exponentials, const Matrix& sum, const LossRows& rows,
                            const Matrix& dlogits) {
  runner.memory_bound(OperatorKind::cross_entropy, {kName, Pass::backward}, exponentials,
                      exponentials.bytes() + dlogits.bytes(), [&](Backend& backend) {
                        backend.cross_entropy_backward(exponentials, sum, rows.targets, rows.first_id, rows.weights,
                                                       dlogits);
                      });
}

}  // namespace shardsim::kernels
