#include "sim/plan/decision.hpp"

#include "sim/base/check.hpp"
#include "sim/plan/confidence.hpp"

namespace shardsim::plan {

Decision decide(const std::vector<Candidate>& candidates, const std::optional<Candidate>& given) {
  SHARDSIM_CHECK(!candidates.empty(), "nothing to decide");
  const Candidate& winner = candidates.front();
  Decision decision;
  decision.probability_best = probability_best(candidates);
  if (candidates.size() > 1) {
    const Candidate& runner_up = candidates[1];
    decision.against_runner_up = compare(winner, runner_up);
    decision.flips = flips(winner.scenario, runner_up.scenario);
  }
  const bool changed = given && !(given->degrees == winner.degrees);
  if (changed) decision.against_given = compare(winner, *given);
  return decision;
}

}  // namespace shardsim::plan
