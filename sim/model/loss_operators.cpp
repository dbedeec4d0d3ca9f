#include "sim/model/loss_operators.hpp"

#include "sim/model/operator_builders.hpp"

namespace shardsim::model {
namespace {

constexpr std::string_view kName = "vocab_parallel_cross_entropy";
constexpr std::int64_t kLogit = 4;  // fp32

/// Bytes moved per logit by the loss, forward and backward, and kernels launched for it.
struct LossTraffic {
  std::int64_t forward;
  std::int64_t backward;
  int forward_launches;
  int backward_launches;
};

LossTraffic loss_traffic(CrossEntropy kind, std::int64_t element) {
  switch (kind) {
    case CrossEntropy::unfused:
      // Cast to fp32, row maximum, subtract and exponentiate, sum, divide; then scale and cast back.
      return {element + 4 + 4 + 8 + 4 + 8, 8 + 4 + element, 10, 6};
    case CrossEntropy::fused_native:
      return {element + 4 + 4 + 8, 8 + 4 + element, 4, 3};
    case CrossEntropy::fused_te:
      return {2 * element, 2 * element, 2, 1};
    case CrossEntropy::in_place:
      // Row maximum, exponentiate; then the gradient.
      return {kLogit + 2 * kLogit, kLogit + element, 2, 1};
  }
  return {};
}

bool gathers(const RankSizes& head) { return head.loss_vocab > head.vocab; }

/// One fp32 value a token (Shoeybi et al. 2019, section 3).
void reduce(std::vector<Operator>& list, std::string_view name, const RankSizes& head) {
  if (head.tp == 1 || gathers(head)) return;
  list.push_back(communicate(OperatorKind::all_reduce, name, Pass::forward, Group::tensor, Bytes{head.tokens * 4}));
  list.back().dtype = DType::fp32;
}

Operator step(const Scenario& scenario, Pass pass, std::int64_t tokens, std::int64_t columns, std::int64_t each) {
  return memory_bound(OperatorKind::cross_entropy, kName, pass, scenario.training.precision, tokens, columns,
                      Bytes{each * tokens * columns});
}

/// Row maximum, exponentials in place with their sum and the target's logit, loss; reductions lie between.
void in_place_forward(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& head) {
  list.push_back(step(scenario, Pass::forward, head.tokens, head.vocab, kLogit));
  reduce(list, "logits_max", head);
  list.push_back(step(scenario, Pass::forward, head.tokens, head.vocab, 2 * kLogit));
  list.back().saved = saved_logits(head) + Bytes{head.tokens * kLogit};  // and the rows' sums
  reduce(list, "predicted_logits", head);
  reduce(list, "sum_exp_logits", head);
  list.push_back(step(scenario, Pass::forward, head.tokens, 1, 3 * kLogit));
}

}  // namespace

Bytes saved_logits(const RankSizes& sizes) { return Bytes{sizes.tokens * sizes.loss_vocab * kLogit}; }

void loss_forward(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& head) {
  if (scenario.training.cross_entropy == CrossEntropy::in_place && !gathers(head)) {
    in_place_forward(list, scenario, head);
    return;
  }
  const DType dtype = scenario.training.precision;
  if (gathers(head)) {
    list.push_back(communicate(OperatorKind::all_gather, "gather_logits", Pass::forward, Group::tensor,
                               Bytes{head.tokens * head.loss_vocab * head.element}));
    list.back().dtype = dtype;
  }
  const LossTraffic traffic = loss_traffic(scenario.training.cross_entropy, head.element);
  list.push_back(step(scenario, Pass::forward, head.tokens, head.loss_vocab, traffic.forward));
  list.back().saved = saved_logits(head);
  list.back().launches = traffic.forward_launches;
  for (const std::string_view name : {"logits_max", "predicted_logits", "sum_exp_logits"}) reduce(list, name, head);
}

void loss_backward(std::vector<Operator>& list, const Scenario& scenario, const RankSizes& head) {
  const LossTraffic traffic = loss_traffic(scenario.training.cross_entropy, head.element);
  list.push_back(step(scenario, Pass::backward, head.tokens, head.loss_vocab, traffic.backward));
  list.back().launches = traffic.backward_launches;
}

}  // namespace shardsim::model
