#include "tests/engine/network/brute_force.hpp"

#include <algorithm>
#include <cmath>

namespace shardsim::engine::network {
namespace {

std::vector<double> loads(std::size_t links, const std::vector<Flow>& flows, const std::vector<double>& rates) {
  std::vector<double> sums(links, 0.0);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    for (const Use& use : flows[i].uses) sums[static_cast<std::size_t>(use.link)] += ratio_of(use.weight) * rates[i];
  }
  return sums;
}

bool carries(const std::vector<double>& capacities, const std::vector<Flow>& flows, const std::vector<double>& rates,
             double slack) {
  const std::vector<double> sums = loads(capacities.size(), flows, rates);
  for (std::size_t link = 0; link < sums.size(); ++link) {
    if (sums[link] > capacities[link] * (1.0 + slack)) return false;
  }
  return true;
}

}  // namespace

std::vector<double> brute_force_rates(const std::vector<double>& capacities, const std::vector<Flow>& flows) {
  constexpr double kFastest = 1e12;
  std::vector<double> rates(flows.size(), 0.0);
  std::vector<bool> rising(flows.size(), true);
  const auto at_level = [&](double level) {
    std::vector<double> raised = rates;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (rising[i]) raised[i] = std::min(level, flows[i].rate_bound);
    }
    return raised;
  };
  while (std::find(rising.begin(), rising.end(), true) != rising.end()) {
    double low = 0.0;
    double high = kFastest;
    for (int step = 0; step < 200; ++step) {
      const double middle = (low + high) / 2.0;
      (carries(capacities, flows, at_level(middle), 0.0) ? low : high) = middle;
    }
    rates = at_level(low);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      std::vector<double> more = rates;
      more[i] += 1e-8 * std::max(rates[i], 1.0);
      const bool stuck = more[i] > flows[i].rate_bound || !carries(capacities, flows, more, 1e-12);
      if (rising[i] && (stuck || rates[i] > kFastest / 2.0)) rising[i] = false;
    }
  }
  return rates;
}

std::string violation(const std::vector<double>& capacities, const std::vector<Flow>& flows,
                      const std::vector<double>& rates) {
  constexpr double kClose = 1e-8;
  const std::vector<double> sums = loads(capacities.size(), flows, rates);
  std::vector<double> fastest(capacities.size(), 0.0);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    for (const Use& use : flows[i].uses) {
      double& most = fastest[static_cast<std::size_t>(use.link)];
      most = std::max(most, rates[i]);
    }
  }
  for (std::size_t link = 0; link < capacities.size(); ++link) {
    if (sums[link] > capacities[link] * (1.0 + kClose)) return "link " + std::to_string(link) + " is overloaded";
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (rates[i] > flows[i].rate_bound) return "flow " + std::to_string(i) + " is faster than its bound";
    const bool held = std::any_of(flows[i].uses.begin(), flows[i].uses.end(), [&](const Use& use) {
      const auto link = static_cast<std::size_t>(use.link);
      return sums[link] >= capacities[link] * (1.0 - kClose) && rates[i] >= fastest[link] * (1.0 - kClose);
    });
    if (rates[i] < flows[i].rate_bound && !held) return "nothing holds flow " + std::to_string(i) + " back";
  }
  return "";
}

}  // namespace shardsim::engine::network
