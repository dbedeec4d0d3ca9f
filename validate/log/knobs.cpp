#include "validate/log/knobs.hpp"

#include <algorithm>

namespace shardsim::validate::log {
namespace {

using hardware::MeasuredCollective;
using model::Scenario;

double device_error(const Scenario& scenario) { return scenario.cluster.device.error; }
double network_error(const Scenario& scenario) { return scenario.cluster.error; }
/// Host costs were measured on one kind of CPU; single threads of the CPUs that carry GPUs differ by up to half.
double host_error(const Scenario& /*scenario*/) { return 0.4; }

/// A factor under 1 would make a training clock faster than the burst it is derived from.
void slow_clock(Scenario& scenario, double factor) {
  double& slowdown = scenario.cluster.device.sustained_slowdown;
  slowdown = std::max(1.0, slowdown * factor);
}

void slow_host(Scenario& scenario, double factor) {
  model::HostCost& host = scenario.stack.host;
  for (Seconds* cost :
       {&host.per_launch, &host.per_collective, &host.per_collective_between_nodes, &host.per_iteration}) {
    *cost = factor * *cost;
  }
}

void slow_network(hardware::Network& network, std::vector<MeasuredCollective>& measured, bool between_nodes,
                  double factor) {
  network.bandwidth = network.bandwidth / factor;
  for (MeasuredCollective& entry : measured) {
    if ((entry.nodes > 1) != between_nodes) continue;
    entry.lines.small_bandwidth = entry.lines.small_bandwidth / factor;
    entry.lines.large_bandwidth = entry.lines.large_bandwidth / factor;
  }
}

void slow_between_nodes(Scenario& scenario, double factor) {
  slow_network(scenario.cluster.inter_node, scenario.cluster.measured_collectives, true, factor);
}

void slow_inside_node(Scenario& scenario, double factor) {
  slow_network(scenario.cluster.intra_node, scenario.cluster.measured_collectives, false, factor);
}

void slow_memory(Scenario& scenario, double factor) { scenario.stack.memory_bound_slowdown *= factor; }

}  // namespace

const std::vector<Knob>& time_knobs() {
  static const std::vector<Knob> knobs{
      {"sustained clock", "matrix products and attention", device_error, 0.25, slow_clock,
       "nvidia-smi -q -d CLOCK,PERFORMANCE during training (power or heat lowers the clock)"},
      {"host", "the CPU that launches kernels", host_error, 0.5, slow_host,
       "a trace (nsys, torch.profiler) with gaps between kernels; CUDA graphs or larger micro batches remove it"},
      {"network between nodes", "collectives and sends across nodes", network_error, 0.5, slow_between_nodes,
       "nccl-tests across the same nodes; a run of one data-parallel replica"},
      {"network inside a node", "collectives over NVLink or PCIe", network_error, 0.3, slow_inside_node,
       "nccl-tests on one node; a run with less tensor parallelism"},
      {"memory-bound kernels", "norms, activations, dropout, optimizer", device_error, 0.3, slow_memory,
       "a trace with unfused kernels; the fusions that the framework offers"}};
  return knobs;
}

Scenario slowed(const Scenario& scenario, const Knob& knob, double factor) {
  Scenario changed = scenario;
  knob.slow_down(changed, factor);
  return changed;
}

}  // namespace shardsim::validate::log
