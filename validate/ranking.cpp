#include "validate/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "validate/statistics.hpp"

namespace shardsim::validate {
namespace {

bool starts_with(const std::string& text, std::string_view start) { return text.rfind(start, 0) == 0; }

bool is_layout(const std::string& key) {
  return starts_with(key, "parallelism.") || starts_with(key, "training.recompute.") ||
         key == "training.micro_batch_size";
}

/// Settings that are part of the layout, or those that are not.
std::string settings_text(const input::Settings& settings, bool layout) {
  std::string text;
  for (const input::Setting& setting : settings.all()) {
    if (is_layout(setting.key) != layout) continue;
    if (!text.empty()) text += ' ';
    text += setting.key.substr(setting.key.rfind('.') + 1) + '=' + setting.value;
  }
  return text;
}

bool ranked(const Record& record, const Result& result) {
  if (!result.skipped.empty() || !record.suspect.empty() || record.extent != Extent::iteration) return false;
  return result.time.has_value() || result.outcome == Outcome::out_of_memory;
}

/// All runs of one layout.
struct Runs {
  std::vector<double> measured;
  double predicted = 0.0;
  bool predicted_fit = true;
};

using Layouts = std::map<std::string, Runs>;

RankedGroup group_of(const std::string& source, const std::string& job, const Layouts& layouts) {
  RankedGroup group{source, job, {}};
  for (const auto& [layout, runs] : layouts) {
    group.layouts.push_back({layout, runs.predicted, quantile(runs.measured, 0.5), runs.predicted_fit});
  }
  return group;
}

/// From 1; equal values share the mean of their ranks.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values) {
    const auto below = std::count_if(values.begin(), values.end(), [&](double other) { return other < value; });
    const auto equal = std::count(values.begin(), values.end(), value);
    result.push_back(static_cast<double>(below) + 0.5 * (static_cast<double>(equal) + 1.0));
  }
  return result;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(1, values.size()));
}

}  // namespace

std::size_t RankedGroup::measured() const {
  return static_cast<std::size_t>(
      std::count_if(layouts.begin(), layouts.end(), [](const RankedLayout& one) { return one.measured > 0.0; }));
}

double RankedGroup::spread() const {
  double fastest = 0.0;
  double slowest = 0.0;
  for (const RankedLayout& one : layouts) {
    if (one.measured == 0.0) continue;
    fastest = fastest == 0.0 ? one.measured : std::min(fastest, one.measured);
    slowest = std::max(slowest, one.measured);
  }
  return fastest == 0.0 ? 0.0 : slowest / fastest - 1.0;
}

std::vector<const RankedLayout*> RankedGroup::order() const {
  std::vector<const RankedLayout*> sorted;
  sorted.reserve(layouts.size());
  for (const RankedLayout& one : layouts) sorted.push_back(&one);
  std::stable_sort(sorted.begin(), sorted.end(), [](const RankedLayout* a, const RankedLayout* b) {
    if (a->predicted_fit != b->predicted_fit) return a->predicted_fit;
    return a->predicted < b->predicted;
  });
  return sorted;
}

std::vector<RankedGroup> ranked_groups(const std::vector<Record>& records, const std::vector<Result>& results) {
  std::map<std::pair<std::string, std::string>, Layouts> jobs;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    const Result& result = results[i];
    if (!ranked(record, result)) continue;
    Runs& runs = jobs[{record.source, settings_text(record.settings, false)}][settings_text(record.settings, true)];
    if (result.time) runs.measured.push_back(result.time->measured);
    runs.predicted = result.predicted_iteration_s;
    runs.predicted_fit = result.predicted_fit;
  }
  std::vector<RankedGroup> groups;
  for (const auto& [key, layouts] : jobs) {
    RankedGroup group = group_of(key.first, key.second, layouts);
    if (group.measured() >= kFewestLayouts && group.spread() >= kLeastSpread) groups.push_back(std::move(group));
  }
  return groups;
}

double regret(const RankedGroup& group, std::size_t choices) {
  double best = 0.0;
  double chosen = 0.0;
  std::size_t place = 0;
  for (const RankedLayout* one : group.order()) {
    const bool among = place++ < choices;
    if (one->measured == 0.0) continue;
    best = best == 0.0 ? one->measured : std::min(best, one->measured);
    if (among) chosen = chosen == 0.0 ? one->measured : std::min(chosen, one->measured);
  }
  return chosen == 0.0 ? kRegretOfFailure : chosen / best - 1.0;
}

double rank_correlation(const RankedGroup& group) {
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const RankedLayout& one : group.layouts) {
    if (one.measured == 0.0) continue;
    predicted.push_back(one.predicted);
    measured.push_back(one.measured);
  }
  return spearman(predicted, measured);
}

double spearman(const std::vector<double>& x, const std::vector<double>& y) {
  const std::vector<double> a = ranks(x);
  const std::vector<double> b = ranks(y);
  const double middle = mean(a);  // both hold the ranks 1 to n
  double ab = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - middle) * (b[i] - middle);
    aa += (a[i] - middle) * (a[i] - middle);
    bb += (b[i] - middle) * (b[i] - middle);
  }
  return aa == 0.0 || bb == 0.0 ? 0.0 : ab / std::sqrt(aa * bb);
}

Ranking summarise_ranking(const std::vector<const RankedGroup*>& groups) {
  Ranking ranking;
  std::vector<double> first;
  std::vector<double> of_three;
  std::vector<double> correlations;
  for (const RankedGroup* group : groups) {
    ++ranking.groups;
    ranking.layouts += group->layouts.size();
    first.push_back(regret(*group, 1));
    of_three.push_back(regret(*group, 3));
    correlations.push_back(rank_correlation(*group));
    if (first.back() == 0.0) ++ranking.best_chosen;
    if (group->order().front()->measured == 0.0) ++ranking.failed;
  }
  ranking.regret_median = quantile(first, 0.5);
  ranking.regret_mean = mean(first);
  ranking.regret_of_three_median = quantile(of_three, 0.5);
  ranking.regret_of_three_mean = mean(of_three);
  ranking.spearman_median = quantile(correlations, 0.5);
  ranking.spearman_mean = mean(correlations);
  return ranking;
}

std::map<std::string, Ranking> ranking_by_source(const std::vector<RankedGroup>& groups) {
  std::map<std::string, std::vector<const RankedGroup*>> sources;
  for (const RankedGroup& group : groups) sources[group.source].push_back(&group);
  std::map<std::string, Ranking> rankings;
  for (const auto& [source, members] : sources) rankings[source] = summarise_ranking(members);
  return rankings;
}

}  // namespace shardsim::validate
