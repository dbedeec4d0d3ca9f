// What a plan says beside its list of candidates: why, how sure, and what else would be a good choice.
#pragma once

#include <optional>
#include <vector>

#include "sim/plan/explain.hpp"
#include "sim/plan/flips.hpp"
#include "sim/plan/pareto.hpp"

namespace shardsim::plan {

struct Decision {
  std::optional<Comparison> against_runner_up;
  /// Against what the user had.
  std::optional<Comparison> against_given;
  /// That no other candidate is faster, see probability_best().
  double probability_best = 1.0;
  /// Constants that would put the runner-up first.
  std::vector<Flip> flips;
  /// Where several objectives were asked for.
  std::vector<Objective> objectives;
  std::vector<Candidate> front;
};

/// Of candidates, best first, and of what the user had where that can run. Precondition: at least one candidate.
[[nodiscard]] Decision decide(const std::vector<Candidate>& candidates, const std::optional<Candidate>& given);

}  // namespace shardsim::plan
