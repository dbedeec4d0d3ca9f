#include "sim/model/norm_operators.hpp"

#include "sim/model/operator_builders.hpp"

namespace shardsim::model {
namespace {

/// Passes over a 2-byte activation by a norm of single kernels: cast to fp32 (1 + 2), square (2 + 2), mean (2), scale
/// by the root (2 + 2), cast back (2 + 1), weight (1 + 1). The backward pass takes about twice as many.
constexpr std::int64_t kEagerNormPasses = 18;

/// A norm of single kernels runs at the rate of elementwise ones.
Operator norm(const Scenario& scenario, const RankSizes& sizes, std::string_view name, Pass pass, std::int64_t passes) {
  const bool fused = scenario.stack.fusion.normalization;
  return memory_bound(fused ? OperatorKind::normalization : OperatorKind::elementwise, name, pass,
                      scenario.training.precision, sizes.residual_tokens, sizes.hidden, passes * sizes.residual());
}

/// Copies that a norm and the sum before it keep: half of what a layer's two norms do.
Bytes extra_residual(const Scenario& scenario, const RankSizes& sizes) {
  const SavedForBackward& saved = scenario.stack.saved;
  const double eager = scenario.stack.fusion.normalization ? 0.0 : saved.extra_per_eager_norm_element;
  return rounded_bytes((saved.extra_per_residual_element + eager) *
                       static_cast<double>(sizes.residual_tokens * sizes.hidden) / 2.0);
}

}  // namespace

Operator norm_forward(const Scenario& scenario, const RankSizes& sizes, std::string_view name) {
  const bool fused = scenario.stack.fusion.normalization;
  Operator op = norm(scenario, sizes, name, Pass::forward, fused ? 2 : kEagerNormPasses);
  op.saved = sizes.residual() + extra_residual(scenario, sizes) +
             Bytes{sizes.residual_tokens * scenario.stack.saved.norm_statistics};
  if (!fused) op.launches = 6;
  return op;
}

Operator norm_backward(const Scenario& scenario, const RankSizes& sizes, std::string_view name) {
  const bool fused = scenario.stack.fusion.normalization;
  Operator op = norm(scenario, sizes, name, Pass::backward, fused ? 3 : 2 * kEagerNormPasses);
  op.launches = fused ? 2 : 12;
  return op;
}

}  // namespace shardsim::model
