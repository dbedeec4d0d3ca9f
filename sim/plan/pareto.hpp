// Plans that no other plan beats in everything: the front over time, memory, cost and GPUs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/plan/search.hpp"

namespace shardsim::plan {

/// cost: GPU time of an iteration, until prices are known.
enum class Objective { time, memory, cost, gpus };

[[nodiscard]] std::string_view objective_name(Objective objective);
/// "time", "memory", "cost", "gpus"; nothing for other names.
[[nodiscard]] std::optional<Objective> objective_of(std::string_view name);

/// Less is better: seconds, bytes of device memory, GPU seconds, GPUs.
[[nodiscard]] double value_of(const Candidate& candidate, Objective objective);

/// `a` is nowhere worse than `b` and somewhere better. Both have one value an objective.
[[nodiscard]] bool dominates(const std::vector<double>& a, const std::vector<double>& b);

/// Collects plans one by one and keeps those that none of the others dominates, so that a search need not keep all.
/// Of plans with equal values the first stays.
class ParetoFront {
 public:
  explicit ParetoFront(std::vector<Objective> objectives) : objectives_{std::move(objectives)} {}

  /// Whether the plan is on the front for now.
  bool add(const Candidate& candidate);
  [[nodiscard]] const std::vector<Objective>& objectives() const { return objectives_; }
  /// By the first objective, best first; equal ones by the second, and so on.
  [[nodiscard]] std::vector<Candidate> plans() const;

 private:
  struct Member {
    std::vector<double> values;
    Candidate candidate;
  };
  std::vector<Objective> objectives_;
  std::vector<Member> members_;
};

/// The front of these candidates.
[[nodiscard]] std::vector<Candidate> pareto(const std::vector<Candidate>& candidates,
                                            const std::vector<Objective>& objectives);

}  // namespace shardsim::plan
