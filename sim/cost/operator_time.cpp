#include "sim/cost/operator_time.hpp"

#include <algorithm>

#include "sim/cost/attention.hpp"
#include "sim/cost/gemm.hpp"
#include "sim/cost/measured_kernel.hpp"
#include "sim/cost/memory_bound.hpp"

namespace shardsim::cost {
namespace {

/// Over the device profile's own kernel; FlashAttention-2's reaches its rate at every head size.
double flash_attention_2_slowdown(const model::Scenario& scenario) {
  const hardware::Device& device = scenario.cluster.device;
  if (!scenario.stack.flash_attention_2 || device.flash_attention_2_slowdown == 1.0) return 1.0;
  const double head = saturation(static_cast<double>(scenario.model.kv_channels), device.attention.head_half);
  return device.flash_attention_2_slowdown * head;
}

double attention_slowdown(const model::Scenario& scenario) {
  const bool biased = scenario.model.position_embedding == model::PositionEmbedding::alibi;
  const double kernel = flash_attention_2_slowdown(scenario);
  return scenario.training.attention_slowdown * kernel * (biased ? scenario.stack.alibi_attention_slowdown : 1.0);
}

/// Slowdown by the devices that the job uses on a node: linear from one to all, over that of all.
double neighbours(const model::Scenario& scenario, double full_node_slowdown) {
  const auto all = static_cast<double>(scenario.cluster.gpus_per_node);
  const double busy = std::min(static_cast<double>(scenario.gpus), all);
  if (all <= 1.0) return 1.0;
  return (1.0 + (full_node_slowdown - 1.0) * (busy - 1.0) / (all - 1.0)) / full_node_slowdown;
}

}  // namespace

double start_factor(const model::GroupPlacement& placement) {
  return std::max(1.0, static_cast<double>(placement.nodes) / 2.0);
}

Pricer::Pricer(const model::Scenario& scenario)
    : device_{scenario.cluster.device},
      model_{scenario.model},
      memory_bound_slowdown_{scenario.stack.memory_bound_slowdown},
      attention_slowdown_{attention_slowdown(scenario)},
      matrix_neighbours_{neighbours(scenario, device_.matrix_full_node_slowdown)},
      memory_neighbours_{neighbours(scenario, device_.memory_full_node_slowdown)},
      collective_slowdown_{scenario.cluster.collective_slowdown},
      start_between_nodes_{scenario.stack.host.start_between_nodes},
      hybrid_{scenario.parallelism.zero_stage >= 1 && scenario.parallelism.num_distributed_optimizer_instances > 1} {
  for (std::size_t i = 0; i < kGroups; ++i) {
    paths_[i] = group_path(scenario.cluster, model::place(scenario, static_cast<model::Group>(i)));
  }
  if (hybrid_) {
    const model::HybridPlacement hybrid = model::place_hybrid(scenario);
    shard_path_ = group_path(scenario.cluster, hybrid.shard);
    replica_path_ = group_path(scenario.cluster, hybrid.replicas);
  }
}

Seconds Pricer::time(const model::Operator& op) const {
  using model::OperatorKind;
  if (model::is_communication(op.kind)) {
    return static_cast<double>(op.launches) * communication_time(op, op.bytes / op.launches);
  }
  switch (op.kind) {
    case OperatorKind::gemm:
      return matrix_neighbours_ * gemm_time(device_, op.dtype, op.pass, op.shape, op.flops, op.bytes);
    case OperatorKind::batched_gemm:
      return matrix_neighbours_ * batched_gemm_time(device_, op.dtype, op.pass, op.shape, op.flops, op.bytes);
    case OperatorKind::attention:
      return matrix_neighbours_ * attention_slowdown_ *
             attention_time(device_, op.dtype, op.pass, op.shape, op.flops, op.bytes);
    default:
      return memory_neighbours_ * memory_bound(op);
  }
}

Seconds Pricer::memory_bound(const model::Operator& op) const {
  using model::OperatorKind;
  if (const auto kernel = kernel_of(op, model_); kernel && !device_.measured_kernels.empty()) {
    const BytesPerSecond bandwidth = measured_bandwidth(device_.measured_kernels, *kernel, op.bytes);
    if (bandwidth.value() > 0.0)
      return static_cast<double>(op.launches) * device_.kernel_latency + op.bytes / bandwidth;
  }
  const bool unfused_kind = op.kind == OperatorKind::normalization || op.kind == OperatorKind::elementwise;
  return memory_bound_time(device_, op.kind, op.bytes, op.launches, unfused_kind ? memory_bound_slowdown_ : 1.0);
}

Seconds Pricer::communication_time(const model::Operator& op, Bytes bytes) const {
  const GroupPath& path = path_of(op);
  if (op.group == model::Group::data && op.overlapped) {
    if (const auto started = started_time(path, op.kind, bytes)) return *started;
  }
  const Seconds undisturbed = collective_time(path, op.kind, bytes);
  const bool inside_layers = op.group == model::Group::tensor || op.group == model::Group::context;
  if (!inside_layers || path.placement.size <= 1) return undisturbed;
  if (path.placement.nodes == 1) return collective_slowdown_ * undisturbed;
  return start_factor(path.placement) * start_between_nodes_ + undisturbed;
}

const GroupPath& Pricer::path_of(const model::Operator& op) const {
  if (!hybrid_ || op.group != model::Group::data) return paths_[index_of(op.group)];
  return op.kind == model::OperatorKind::all_reduce ? replica_path_ : shard_path_;
}

}  // namespace shardsim::cost
