#include "sim/plan/flips.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/engine/closed_form.hpp"

namespace shardsim::plan {
namespace {

using model::Scenario;

void scale_measured(Scenario& scenario, bool between_nodes, double factor) {
  for (hardware::MeasuredCollective& measured : scenario.cluster.measured_collectives) {
    if ((measured.nodes > 1) != between_nodes) continue;
    measured.lines.small_bandwidth = factor * measured.lines.small_bandwidth;
    measured.lines.large_bandwidth = factor * measured.lines.large_bandwidth;
  }
}

void scale_latency(hardware::Network& network, double factor) {
  network.base_latency = factor * network.base_latency;
  network.step_latency = factor * network.step_latency;
}

/// How much faster the other plan's iteration is with the constant scaled; positive = the winner still wins.
double lead(const Scenario& winner, const Scenario& other, const Constant& constant, double factor) {
  Scenario scaled_winner = winner;
  Scenario scaled_other = other;
  constant.scale(scaled_winner, factor);
  constant.scale(scaled_other, factor);
  return (engine::predict(scaled_other).iteration - engine::predict(scaled_winner).iteration).value();
}

/// The factor at which the lead is lost between 1 and `widest`, or nothing.
std::optional<double> crossing(const Scenario& winner, const Scenario& other, const Constant& constant, double widest) {
  constexpr int kTrials = 8;
  constexpr int kBisections = 24;
  double kept = 0.0;
  for (int i = 1; i <= kTrials; ++i) {
    double lost = std::log(widest) * i / kTrials;
    if (lead(winner, other, constant, std::exp(lost)) > 0.0) {
      kept = lost;
      continue;
    }
    for (int j = 0; j < kBisections; ++j) {
      const double middle = 0.5 * (kept + lost);
      (lead(winner, other, constant, std::exp(middle)) > 0.0 ? kept : lost) = middle;
    }
    return std::exp(lost);
  }
  return {};
}

double distance(double factor) { return std::abs(std::log(factor)); }

}  // namespace

const std::vector<Constant>& constants() {
  static const std::vector<Constant> all = {
      {"device.clock", "sustained clock of the devices",
       [](Scenario& s, double factor) { s.cluster.device.sustained_slowdown /= factor; }},
      {"device.memory_bandwidth", "memory bandwidth of the devices",
       [](Scenario& s, double factor) {
         s.cluster.device.memory_bandwidth = factor * s.cluster.device.memory_bandwidth;
       }},
      {"intra_node.bandwidth", "bandwidth inside nodes",
       [](Scenario& s, double factor) {
         s.cluster.intra_node.bandwidth = factor * s.cluster.intra_node.bandwidth;
         scale_measured(s, false, factor);
       }},
      {"inter_node.bandwidth", "bandwidth between nodes",
       [](Scenario& s, double factor) {
         s.cluster.inter_node.bandwidth = factor * s.cluster.inter_node.bandwidth;
         scale_measured(s, true, factor);
       }},
      {"network.latency", "latency of the networks",
       [](Scenario& s, double factor) {
         scale_latency(s.cluster.intra_node, factor);
         scale_latency(s.cluster.inter_node, factor);
         for (hardware::MeasuredCollective& measured : s.cluster.measured_collectives) {
           measured.lines.small_latency = factor * measured.lines.small_latency;
           measured.lines.large_latency = factor * measured.lines.large_latency;
         }
       }},
      {"cluster.collective_slowdown", "slowdown of collectives in training",
       [](Scenario& s, double factor) { s.cluster.collective_slowdown *= factor; }},
      {"device.communication_slowdown", "slowdown of compute beside communication",
       [](Scenario& s, double factor) {
         // What exceeds undisturbed compute is what is uncertain.
         double& slowdown = s.cluster.device.communication_slowdown;
         slowdown = 1.0 + factor * (slowdown - 1.0);
       }},
      {"host.per_launch", "host time of a launch",
       [](Scenario& s, double factor) { s.stack.host.per_launch = factor * s.stack.host.per_launch; }},
      {"host.per_collective", "host time of a collective",
       [](Scenario& s, double factor) {
         s.stack.host.per_collective = factor * s.stack.host.per_collective;
         s.stack.host.per_collective_between_nodes = factor * s.stack.host.per_collective_between_nodes;
       }},
      {"stack.memory_bound_slowdown", "time of memory-bound kernels",
       [](Scenario& s, double factor) { s.stack.memory_bound_slowdown *= factor; }},
  };
  return all;
}

std::vector<Flip> flips(const Scenario& winner, const Scenario& other) {
  std::vector<Flip> found;
  for (const Constant& constant : constants()) {
    const std::optional<double> less = crossing(winner, other, constant, 1.0 / kWidestFactor);
    const std::optional<double> more = crossing(winner, other, constant, kWidestFactor);
    if (!less && !more) continue;
    const bool takes_less = less && (!more || distance(*less) < distance(*more));
    found.push_back({constant.name, constant.title, takes_less ? *less : *more});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Flip& a, const Flip& b) { return distance(a.factor) < distance(b.factor); });
  return found;
}

}  // namespace shardsim::plan
