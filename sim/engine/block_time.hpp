// One micro batch through one block: its operators priced, communication set against the compute that hides it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/cost/operator_time.hpp"
#include "sim/engine/time_terms.hpp"
#include "sim/model/operators.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::engine {

/// What one group's communication takes.
struct Communication {
  Seconds total{0.0};
  /// Not hidden, and what hidden communication takes from the compute beside it.
  Seconds exposed{0.0};
  Bytes bytes{0};

  void add(const Communication& other, std::int64_t count) {
    total += static_cast<double>(count) * other.total;
    exposed += static_cast<double>(count) * other.exposed;
    bytes += count * other.bytes;
  }
};
using CommunicationByGroup = std::array<Communication, cost::kGroups>;

/// A send or a gather between stages, with what the host needs to start a send that nothing hides: both sides wait for
/// their devices before and after it (Megatron-LM, p2p_communication.py).
[[nodiscard]] Seconds hop_time(const model::Scenario& scenario, const cost::Pricer& pricer, const model::Operator& op);

/// One operator priced, in the order of execution.
struct PricedOperator {
  /// Place in the operator list.
  std::size_t op = 0;
  Term term = Term::matrix_multiply;
  model::Group group = model::Group::none;
  int launches = 1;
  /// The host's, for all launches: per launch, and more per collective.
  Seconds host{0.0};
  /// Device time; of communication only what is exposed.
  Seconds device{0.0};
  /// Communication hidden or not; of compute the same as `device`.
  Seconds whole{0.0};
};

/// One direction of a block.
struct PassTime {
  TermTimes terms;
  CommunicationByGroup communication;
  /// Compute of weight gradients, contained in the terms.
  Seconds weight_gradient{0.0};
  /// Σ terms.
  Seconds total{0.0};
};

/// Communication beside compute that could hide it: max(0, communication − compute), and the compute beside the hidden
/// part slowed down:  exposed = C − H + (slowdown − 1)·H,  H = min(C, compute).
[[nodiscard]] Seconds exposed_time(Seconds communication, Seconds compute, double compute_slowdown);

/// Overlapped communication hides behind one matrix operator: a reduction of forward results behind the product that
/// makes them, everything else behind the product that follows. No product hides two communications at once.
[[nodiscard]] std::vector<PricedOperator> price_operators(const model::Scenario& scenario, const cost::Pricer& pricer,
                                                          const std::vector<model::Operator>& operators);

/// Device time of the operators in order; the host needs launches · per_launch, and what it needs longer is host_wait.
[[nodiscard]] PassTime pass_time(const model::Scenario& scenario, const cost::Pricer& pricer,
                                 const std::vector<model::Operator>& operators);

}  // namespace shardsim::engine
