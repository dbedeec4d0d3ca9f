#include "sim/plan/confidence.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/check.hpp"

namespace shardsim::plan {
namespace {

/// Nodes at −6, −5.75, …, 6: the density beyond is 1e-9.
constexpr int kHalf = 24;
constexpr double kStep = 0.25;

struct Node {
  double at = 0.0;
  double weight = 0.0;
};

std::vector<Node> normal_nodes() {
  std::vector<Node> nodes;
  double sum = 0.0;
  for (int i = -kHalf; i <= kHalf; ++i) {
    const double at = kStep * i;
    nodes.push_back({at, std::exp(-0.5 * at * at)});
    sum += nodes.back().weight;
  }
  for (Node& node : nodes) node.weight /= sum;
  return nodes;
}

/// One plan against the first: its head start in ln t, and how the common errors change it.
struct Rival {
  double lead = 0.0;
  double device = 0.0;
  double network = 0.0;
  double own = 0.0;
};

/// Probability that a standard normal variable is above x.
double above(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }

}  // namespace

double probability_best(const std::vector<UncertainTime>& plans) {
  SHARDSIM_CHECK(!plans.empty(), "no plan to be the best");
  const UncertainTime& first = plans.front();
  const double own_share = std::sqrt(kOwnShareOfStackVariance);
  // A deviation of nothing would divide nothing by nothing.
  constexpr double kSmallest = 1e-9;
  const double own = std::max(kSmallest, own_share * first.error.stack);
  std::vector<Rival> rivals;
  for (std::size_t i = 1; i < plans.size(); ++i) {
    const UncertainTime& plan = plans[i];
    rivals.push_back({std::log(plan.time / first.time), plan.error.device - first.error.device,
                      plan.error.network - first.error.network, std::max(kSmallest, own_share * plan.error.stack)});
  }
  if (rivals.empty()) return 1.0;
  const std::vector<Node> nodes = normal_nodes();
  double probability = 0.0;
  for (const Node& x : nodes) {
    for (const Node& y : nodes) {
      for (const Node& w : nodes) {
        double best = x.weight * y.weight * w.weight;
        for (const Rival& rival : rivals) {
          const double lead = rival.lead + rival.device * x.at + rival.network * y.at;
          best *= above((own * w.at - lead) / rival.own);
        }
        probability += best;
      }
    }
  }
  return std::clamp(probability, 0.0, 1.0);
}

double probability_best(const std::vector<Candidate>& candidates) {
  std::vector<UncertainTime> plans;
  for (const Candidate& candidate : candidates) {
    engine::TermTimes terms;
    for (std::size_t i = 0; i < engine::kTerms; ++i) {
      terms[static_cast<engine::Term>(i)] = candidate.prediction.time[i].time;
    }
    plans.push_back({candidate.prediction.iteration, engine::error_parts(candidate.scenario, terms)});
  }
  return probability_best(plans);
}

}  // namespace shardsim::plan
