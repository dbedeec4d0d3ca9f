#include "sim/cost/measured_kernel.hpp"

#include <cmath>
#include <string_view>

namespace shardsim::cost {
namespace {

using hardware::Kernel;
using model::OperatorKind;
using model::Pass;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::optional<Kernel> elementwise_kernel(const model::Operator& op, const model::Model& model, bool backward) {
  if (op.name == "activation_func" || op.name == "lm_head_gelu") return backward ? Kernel::gelu_backward : Kernel::gelu;
  if (ends_with(op.name, "_bda")) {
    if (model.hidden_dropout > 0.0) return backward ? Kernel::dropout_add_backward : Kernel::dropout_add;
    return backward ? Kernel::bias_gradient : Kernel::bias_add;
  }
  if (ends_with(op.name, "_dropout")) {
    if (backward) return Kernel::dropout_backward;
    return op.name == "attention_dropout" ? Kernel::attention_dropout : Kernel::dropout;
  }
  if (op.name == "residual_gradient") return Kernel::add;
  if (op.name == "gradient_clipping") return Kernel::sum_of_squares;
  if (op.name == "zero_gradients") return Kernel::fill;
  if (op.pass == Pass::weight_gradient) return Kernel::bias_gradient;
  return {};
}

/// Row maximum and exponentials move one and two times the logits (sim/model/loss_operators.cpp).
std::optional<Kernel> cross_entropy_kernel(const model::Operator& op, bool backward) {
  if (op.shape.n <= 2) return {};
  if (backward) return Kernel::cross_entropy_backward;
  return op.bytes.value() <= 4 * op.shape.m * op.shape.n ? Kernel::row_maximum : Kernel::exponentiate;
}

}  // namespace

std::optional<Kernel> kernel_of(const model::Operator& op, const model::Model& model) {
  const bool backward = op.pass == Pass::backward;
  switch (op.kind) {
    case OperatorKind::normalization:
      return backward ? Kernel::layer_norm_backward : Kernel::layer_norm;
    case OperatorKind::softmax:
      if (model.attention_mask == model::AttentionMask::causal) {
        return backward ? Kernel::causal_softmax_backward : Kernel::causal_softmax;
      }
      return backward ? Kernel::softmax_backward : Kernel::softmax;
    case OperatorKind::embedding:
      if (op.pass == Pass::weight_gradient) return Kernel::embedding_gradient;
      return op.name == "word_embeddings" ? Kernel::embedding : Kernel::add_embedding;
    case OperatorKind::cross_entropy:
      return cross_entropy_kernel(op, backward);
    case OperatorKind::optimizer:
      return Kernel::adam;
    case OperatorKind::elementwise:
      return elementwise_kernel(op, model, backward);
    default:
      return {};
  }
}

BytesPerSecond measured_bandwidth(const std::vector<hardware::MeasuredKernel>& points, Kernel kernel, Bytes bytes) {
  const hardware::MeasuredKernel* below = nullptr;
  for (const hardware::MeasuredKernel& point : points) {
    if (point.kernel != kernel) continue;
    if (point.bytes >= bytes) {
      if (below == nullptr) return point.bandwidth;
      const double part = std::log(bytes / below->bytes) / std::log(point.bytes / below->bytes);
      return below->bandwidth + part * (point.bandwidth - below->bandwidth);
    }
    below = &point;
  }
  return below == nullptr ? BytesPerSecond{0.0} : below->bandwidth;
}

}  // namespace shardsim::cost
