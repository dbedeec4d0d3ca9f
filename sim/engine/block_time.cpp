#include "sim/engine/block_time.hpp"

#include <algorithm>

#include "sim/base/check.hpp"
#include "sim/model/rank_grid.hpp"

namespace shardsim::engine {
namespace {

using model::Group;
using model::Operator;
using model::OperatorKind;
using model::Pass;

Term compute_term(const Operator& op) {
  if (op.pass == Pass::recompute) return Term::recompute;
  switch (op.kind) {
    case OperatorKind::gemm:
      return Term::matrix_multiply;
    case OperatorKind::batched_gemm:
    case OperatorKind::attention:
      return Term::attention;
    default:
      return Term::memory_bound;
  }
}

Term communication_term(Group group) {
  switch (group) {
    case Group::tensor:
      return Term::tensor_parallel_exposed;
    case Group::context:
      return Term::context_parallel_exposed;
    default:
      SHARDSIM_CHECK(false, "a block communicates in tensor and context groups only");
      return Term::fixed_overhead;
  }
}

bool reduces_forward_results(const Operator& op) {
  const bool forward = op.pass == Pass::forward || op.pass == Pass::recompute;
  return forward && (op.kind == OperatorKind::all_reduce || op.kind == OperatorKind::reduce_scatter);
}

/// Position of the matrix operator that hides the communication at `at`; operators.size() if there is none.
std::size_t hiding_operator(const std::vector<Operator>& operators, std::size_t at) {
  if (reduces_forward_results(operators[at])) {
    for (std::size_t i = at; i-- > 0;) {
      if (model::is_matrix(operators[i].kind)) return i;
    }
    return operators.size();
  }
  for (std::size_t i = at + 1; i < operators.size(); ++i) {
    if (model::is_matrix(operators[i].kind)) return i;
  }
  return operators.size();
}

/// What the host needs to launch one operator.
class HostPrices {
 public:
  explicit HostPrices(const model::Scenario& scenario) : host_{scenario.stack.host} {
    if (model::place(scenario, Group::pipeline).nodes > 1) {
      const model::GroupPlacement tensor = model::place(scenario, Group::tensor);
      per_tensor_collective_ =
          static_cast<double>(tensor.size) * cost::start_factor(tensor) * host_.per_collective_between_nodes;
    }
  }

  [[nodiscard]] Seconds time(const Operator& op) const {
    Seconds each = host_.per_launch;
    if (model::is_communication(op.kind)) each += host_.per_collective;
    if (model::is_communication(op.kind) && op.group == Group::tensor) each += per_tensor_collective_;
    return static_cast<double>(op.launches) * each;
  }

 private:
  const model::HostCost& host_;
  Seconds per_tensor_collective_{0.0};
};

}  // namespace

Seconds hop_time(const model::Scenario& scenario, const cost::Pricer& pricer, const Operator& op) {
  const bool started_late = op.group == Group::pipeline && !op.overlapped;
  return pricer.time(op) + (started_late ? scenario.stack.host.per_send : Seconds{0.0});
}

Seconds exposed_time(Seconds communication, Seconds compute, double compute_slowdown) {
  const Seconds hidden = std::min(communication, compute);
  return communication - hidden + (compute_slowdown - 1.0) * hidden;
}

std::vector<PricedOperator> price_operators(const model::Scenario& scenario, const cost::Pricer& pricer,
                                            const std::vector<Operator>& operators) {
  const double slowdown = scenario.cluster.device.communication_slowdown;
  const HostPrices host{scenario};
  std::vector<PricedOperator> priced(operators.size());
  std::vector<Seconds> unused(operators.size());  // compute of each matrix operator that hides nothing yet
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const Operator& op = operators[i];
    const bool communicates = model::is_communication(op.kind);
    const Seconds time = pricer.time(op);
    priced[i] = {
        i,   communicates ? communication_term(op.group) : compute_term(op), op.group, op.launches, host.time(op), time,
        time};
    if (model::is_matrix(op.kind)) unused[i] = time;
  }
  for (std::size_t i = 0; i < operators.size(); ++i) {
    if (!model::is_communication(operators[i].kind) || !operators[i].overlapped) continue;
    const std::size_t hiding = hiding_operator(operators, i);
    if (hiding == operators.size()) continue;
    priced[i].device = exposed_time(priced[i].whole, unused[hiding], slowdown);
    unused[hiding] -= std::min(priced[i].whole, unused[hiding]);
  }
  return priced;
}

PassTime pass_time(const model::Scenario& scenario, const cost::Pricer& pricer,
                   const std::vector<Operator>& operators) {
  PassTime pass;
  Seconds host{0.0};
  for (const PricedOperator& one : price_operators(scenario, pricer, operators)) {
    const Operator& op = operators[one.op];
    pass.terms[one.term] += one.device;
    host += one.host;
    if (op.pass == Pass::weight_gradient) pass.weight_gradient += one.device;
    if (one.group != Group::none) {
      pass.communication[cost::index_of(one.group)].add({one.whole, one.device, op.bytes}, 1);
    }
  }
  const Seconds device = pass.terms.total();
  pass.terms[Term::host_wait] = std::max(Seconds{0.0}, host - device);
  pass.total = device + pass.terms[Term::host_wait];
  return pass;
}

}  // namespace shardsim::engine
