// What a calibration measures, in order.
#pragma once

#include <string>
#include <vector>

#include "calibrate/measure/bench.hpp"

namespace shardsim::calibrate {

/// How thorough: sizes on a coarser grid and fewer samples for --quick.
enum class Thoroughness { quick, normal };

struct Plan {
  /// Shuffled, the same everywhere: a machine that drifts must not look like one that dislikes large sizes.
  std::vector<Case> cases;
  /// By one rank of a node while the others sleep.
  std::vector<Case> lone;
  /// Full tensors of collectives.
  std::vector<Bytes> messages;
  /// Of one pass over everything.
  TimingPolicy policy;
  /// Passes: what disturbs a machine for seconds disturbs not all of them.
  int passes = 1;
  /// For everything.
  Seconds budget{0.0};
};

/// The log grid; `model` adds the products and attention of that preset at micro batch 1 (empty: none). Throws
/// InputError for an unknown model.
[[nodiscard]] Plan make_plan(Thoroughness thoroughness, const std::string& model);

/// Time that a case is expected to take, for the order of magnitude of what is left.
[[nodiscard]] double expected_seconds(const Subject& subject, const TimingPolicy& policy);

}  // namespace shardsim::calibrate
