// Would the planner have chosen the best of the layouts that somebody measured?
#pragma once

#include <map>
#include <string>
#include <vector>

#include "validate/evaluate.hpp"

namespace shardsim::validate {

/// One layout of a group: medians over its runs.
struct RankedLayout {
  std::string layout;
  double predicted = 0.0;
  /// 0 = it ran out of memory.
  double measured = 0.0;
  bool predicted_fit = true;
};

/// Runs of one source that differ only in layout (parallelism, micro batch, recomputation): same model, cluster, GPUs,
/// batch, precision and kernels.
struct RankedGroup {
  std::string source;
  /// What the layouts share, as settings.
  std::string job;
  std::vector<RankedLayout> layouts;

  /// Layouts that ran.
  [[nodiscard]] std::size_t measured() const;
  /// Slowest over fastest measured, minus one.
  [[nodiscard]] double spread() const;
  /// The order of a plan: fastest first, those predicted to run out of memory behind all others.
  [[nodiscard]] std::vector<const RankedLayout*> order() const;
};

/// Groups of at least this many measured layouts, this far apart, are ranked.
inline constexpr std::size_t kFewestLayouts = 4;
inline constexpr double kLeastSpread = 0.05;

/// Scored rows that are not suspect, and runs that failed. `records` and `results` belong together, in order.
[[nodiscard]] std::vector<RankedGroup> ranked_groups(const std::vector<Record>& records,
                                                     const std::vector<Result>& results);

/// What a choice that ran out of memory costs: the job is started a second time, at the least.
inline constexpr double kRegretOfFailure = 1.0;

/// Measured time of the best of the first `choices` in predicted order over the best measured, minus one;
/// kRegretOfFailure where all of them ran out of memory.
[[nodiscard]] double regret(const RankedGroup& group, std::size_t choices);

/// Spearman's rank correlation of predicted and measured times of the layouts that ran; equal values share a rank.
[[nodiscard]] double rank_correlation(const RankedGroup& group);

/// Spearman's rank correlation; 0 where one side does not vary.
[[nodiscard]] double spearman(const std::vector<double>& x, const std::vector<double>& y);

/// Over groups. Regrets are fractions.
struct Ranking {
  std::size_t groups = 0;
  std::size_t layouts = 0;
  /// Groups whose first choice is the measured best; whose first choice ran out of memory.
  std::size_t best_chosen = 0;
  std::size_t failed = 0;
  double regret_median = 0.0;
  double regret_mean = 0.0;
  /// Of the best of the first three choices.
  double regret_of_three_median = 0.0;
  double regret_of_three_mean = 0.0;
  double spearman_median = 0.0;
  double spearman_mean = 0.0;
};

[[nodiscard]] Ranking summarise_ranking(const std::vector<const RankedGroup*>& groups);
[[nodiscard]] std::map<std::string, Ranking> ranking_by_source(const std::vector<RankedGroup>& groups);

}  // namespace shardsim::validate
