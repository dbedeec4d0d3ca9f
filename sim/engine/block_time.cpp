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

}  // namespace

Seconds exposed_time(Seconds communication, Seconds compute, double compute_slowdown) {
  const Seconds hidden = std::min(communication, compute);
  return communication - hidden + (compute_slowdown - 1.0) * hidden;
}

Seconds host_time(const model::Scenario& scenario, const std::vector<Operator>& operators) {
  const model::HostCost& host = scenario.stack.host;
  const bool pipelined_between_nodes = model::place(scenario, Group::pipeline).nodes > 1;
  const auto tensor_ranks = static_cast<double>(scenario.parallelism.tensor_model_parallel_size);
  Seconds time{0.0};
  for (const Operator& op : operators) {
    Seconds each = host.per_launch;
    if (model::is_communication(op.kind)) {
      each += host.per_collective;
      if (pipelined_between_nodes && op.group == Group::tensor) {
        each += tensor_ranks * host.per_collective_between_nodes;
      }
    }
    time += static_cast<double>(op.launches) * each;
  }
  return time;
}

PassTime pass_time(const model::Scenario& scenario, const cost::Pricer& pricer,
                   const std::vector<Operator>& operators) {
  const double slowdown = scenario.cluster.device.communication_slowdown;
  PassTime pass;
  std::vector<Seconds> unused(operators.size());  // compute of each matrix operator that hides nothing yet
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const Operator& op = operators[i];
    if (model::is_communication(op.kind)) continue;
    const Seconds time = pricer.time(op);
    pass.terms[compute_term(op)] += time;
    if (op.pass == Pass::weight_gradient) pass.weight_gradient += time;
    if (model::is_matrix(op.kind)) unused[i] = time;
  }
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const Operator& op = operators[i];
    if (!model::is_communication(op.kind)) continue;
    const Seconds time = pricer.time(op);
    Seconds exposed = time;
    const std::size_t hiding = op.overlapped ? hiding_operator(operators, i) : operators.size();
    if (hiding < operators.size()) {
      exposed = exposed_time(time, unused[hiding], slowdown);
      unused[hiding] -= std::min(time, unused[hiding]);
    }
    pass.terms[communication_term(op.group)] += exposed;
    pass.communication[cost::index_of(op.group)].add({time, exposed, op.bytes}, 1);
  }
  const Seconds host = host_time(scenario, operators);
  const Seconds device = pass.terms.total();
  pass.terms[Term::host_wait] = std::max(Seconds{0.0}, host - device);
  pass.total = device + pass.terms[Term::host_wait];
  return pass;
}

}  // namespace shardsim::engine
