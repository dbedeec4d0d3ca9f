#include "sim/plan/pareto.hpp"

#include <algorithm>
#include <array>

namespace shardsim::plan {
namespace {

struct Named {
  std::string_view name;
  Objective objective;
};
constexpr std::array kObjectives{Named{"time", Objective::time}, Named{"memory", Objective::memory},
                                 Named{"cost", Objective::cost}, Named{"gpus", Objective::gpus}};

bool no_worse(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x <= y; });
}

}  // namespace

std::string_view objective_name(Objective objective) {
  return std::find_if(kObjectives.begin(), kObjectives.end(),
                      [&](const Named& known) { return known.objective == objective; })
      ->name;
}

std::optional<Objective> objective_of(std::string_view name) {
  for (const Named& known : kObjectives) {
    if (known.name == name) return known.objective;
  }
  return {};
}

double value_of(const Candidate& candidate, Objective objective) {
  const auto gpus = static_cast<double>(candidate.scenario.gpus);
  switch (objective) {
    case Objective::time:
      return candidate.prediction.iteration.value();
    case Objective::memory:
      return candidate.prediction.memory.worst().device_used.as_double();
    case Objective::cost:
      return gpus * candidate.prediction.iteration.value();
    case Objective::gpus:
      return gpus;
  }
  return 0.0;
}

bool dominates(const std::vector<double>& a, const std::vector<double>& b) { return a != b && no_worse(a, b); }

bool ParetoFront::add(const Candidate& candidate) {
  std::vector<double> values;
  for (const Objective objective : objectives_) values.push_back(value_of(candidate, objective));
  const auto beats_it = [&](const Member& member) { return no_worse(member.values, values); };
  if (std::any_of(members_.begin(), members_.end(), beats_it)) return false;
  members_.erase(std::remove_if(members_.begin(), members_.end(),
                                [&](const Member& member) { return dominates(values, member.values); }),
                 members_.end());
  members_.push_back({std::move(values), candidate});
  return true;
}

std::vector<Candidate> ParetoFront::plans() const {
  std::vector<const Member*> order;
  for (const Member& member : members_) order.push_back(&member);
  std::sort(order.begin(), order.end(), [](const Member* a, const Member* b) { return a->values < b->values; });
  std::vector<Candidate> plans;
  for (const Member* member : order) plans.push_back(member->candidate);
  return plans;
}

std::vector<Candidate> pareto(const std::vector<Candidate>& candidates, const std::vector<Objective>& objectives) {
  ParetoFront front{objectives};
  for (const Candidate& candidate : candidates) front.add(candidate);
  return front.plans();
}

}  // namespace shardsim::plan
