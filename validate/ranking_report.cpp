#include "validate/ranking_report.hpp"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string>

#include "validate/report.hpp"

namespace shardsim::validate {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSourceWidth = 44;
/// Of the groups with the largest regret, this many are shown.
constexpr std::size_t kShown = 5;

std::vector<const RankedGroup*> pointers(const std::vector<RankedGroup>& groups) {
  std::vector<const RankedGroup*> all;
  all.reserve(groups.size());
  for (const RankedGroup& group : groups) all.push_back(&group);
  return all;
}

void write_line(std::ostream& out, const std::string& name, const Ranking& ranking) {
  out << std::left << std::setw(kSourceWidth) << shortened(name, kSourceWidth - 1) << std::right << std::setw(7)
      << ranking.groups << std::setw(8) << ranking.layouts << std::setw(6) << ranking.best_chosen << std::setw(7)
      << ranking.failed << std::fixed << std::setprecision(1);
  for (const double share :
       {ranking.regret_median, ranking.regret_mean, ranking.regret_of_three_median, ranking.regret_of_three_mean}) {
    out << std::setw(8) << 100.0 * share;
  }
  out << std::setprecision(3) << std::setw(9) << ranking.spearman_median << std::setw(7) << ranking.spearman_mean
      << '\n';
}

const RankedLayout& best_measured(const RankedGroup& group) {
  const auto slower = [](const RankedLayout& a, const RankedLayout& b) {
    if ((a.measured > 0.0) != (b.measured > 0.0)) return a.measured > 0.0;
    return a.measured < b.measured;
  };
  return *std::min_element(group.layouts.begin(), group.layouts.end(), slower);
}

/// The words of a layout that another does not have: most of it they share.
std::string words_of_its_own(const std::string& layout, const std::string& other) {
  std::istringstream words{layout};
  const std::string others = " " + other + " ";
  std::string own;
  for (std::string word; words >> word;) {
    if (others.find(" " + word + " ") == std::string::npos) own += (own.empty() ? "" : " ") + word;
  }
  return own;
}

void write_costliest(std::ostream& out, std::vector<const RankedGroup*> groups) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const RankedGroup* a, const RankedGroup* b) { return regret(*a, 1) > regret(*b, 1); });
  if (groups.size() > kShown) groups.resize(kShown);
  for (const RankedGroup* group : groups) {
    if (regret(*group, 1) == 0.0) continue;
    const RankedLayout& chosen = *group->order().front();
    const RankedLayout& best = best_measured(*group);
    out << std::setprecision(1) << std::setw(7) << 100.0 * regret(*group, 1) << " %  " << shortened(group->source, 60)
        << "\n           job    " << group->job << "\n           chosen "
        << words_of_its_own(chosen.layout, best.layout) << ": ";
    chosen.measured > 0.0 ? out << std::setprecision(3) << chosen.measured << " s" : out << "out of memory";
    out << ", predicted " << std::setprecision(3) << chosen.predicted << " s\n           best   "
        << words_of_its_own(best.layout, chosen.layout) << ": " << best.measured << " s, predicted " << best.predicted
        << (best.predicted_fit ? " s\n" : " s, out of memory\n");
  }
}

Json to_json(const Ranking& ranking) {
  const auto both = [](double median, double mean) { return Json{{"median", median}, {"mean", mean}}; };
  return {{"groups", ranking.groups},
          {"layouts", ranking.layouts},
          {"best_chosen", ranking.best_chosen},
          {"failed", ranking.failed},
          {"regret", both(ranking.regret_median, ranking.regret_mean)},
          {"regret_of_three", both(ranking.regret_of_three_median, ranking.regret_of_three_mean)},
          {"spearman", both(ranking.spearman_median, ranking.spearman_mean)}};
}

Json to_json(const RankedGroup& group) {
  return {{"source", group.source},
          {"job", group.job},
          {"layouts", group.layouts.size()},
          {"regret", regret(group, 1)},
          {"spearman", rank_correlation(group)},
          {"chosen", group.order().front()->layout},
          {"best", best_measured(group).layout}};
}

}  // namespace

void write_table(std::ostream& out, const std::vector<RankedGroup>& groups) {
  out << "Jobs that were measured in " << kFewestLayouts << " layouts or more, at least "
      << static_cast<int>(100.0 * kLeastSpread) << " % apart. Regret: time of the chosen layout over the best\n"
      << "measured, minus one, in %; of three: the best of the first three choices; a choice that ran out of memory\n"
      << "counts " << static_cast<int>(100.0 * kRegretOfFailure) << " %. Spearman: of predicted and measured times.\n"
      << std::string(kSourceWidth, ' ')
      << " groups layouts  best failed  regret    mean 3: med.    mean spearman   mean\n";
  for (const auto& [source, ranking] : ranking_by_source(groups)) write_line(out, source, ranking);
  write_line(out, "all", summarise_ranking(pointers(groups)));
  write_costliest(out, pointers(groups));
}

void write_json(std::ostream& out, const std::vector<RankedGroup>& groups) {
  Json object = to_json(summarise_ranking(pointers(groups)));
  object["by_source"] = Json::array();
  for (const auto& [source, ranking] : ranking_by_source(groups)) {
    Json entry{{"source", source}};
    entry.update(to_json(ranking));
    object["by_source"].push_back(std::move(entry));
  }
  object["jobs"] = Json::array();
  for (const RankedGroup& group : groups) object["jobs"].push_back(to_json(group));
  out << object.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace shardsim::validate
