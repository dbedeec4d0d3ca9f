#include "sim/cost/operator_time.hpp"

#include "sim/cost/attention.hpp"
#include "sim/cost/gemm.hpp"
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

}  // namespace

Pricer::Pricer(const model::Scenario& scenario)
    : device_{scenario.cluster.device},
      memory_bound_slowdown_{scenario.stack.memory_bound_slowdown},
      attention_slowdown_{attention_slowdown(scenario)},
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
    case OperatorKind::batched_gemm:
      return gemm_time(device_, op.dtype, op.pass, op.shape, op.flops, op.bytes);
    case OperatorKind::attention:
      return attention_slowdown_ * attention_time(device_, op.dtype, op.pass, op.shape, op.flops, op.bytes);
    case OperatorKind::normalization:
    case OperatorKind::elementwise:
      return memory_bound_time(device_, op.kind, op.bytes, op.launches, memory_bound_slowdown_);
    default:
      return memory_bound_time(device_, op.kind, op.bytes, op.launches, 1.0);
  }
}

Seconds Pricer::communication_time(const model::Operator& op, Bytes bytes) const {
  const GroupPath& path = path_of(op);
  const Seconds undisturbed = collective_time(path, op.kind, bytes);
  const bool inside_layers = op.group == model::Group::tensor || op.group == model::Group::context;
  if (!inside_layers || path.placement.size <= 1) return undisturbed;
  return path.placement.nodes > 1 ? start_between_nodes_ + undisturbed : collective_slowdown_ * undisturbed;
}

const GroupPath& Pricer::path_of(const model::Operator& op) const {
  if (!hybrid_ || op.group != model::Group::data) return paths_[index_of(op.group)];
  return op.kind == model::OperatorKind::all_reduce ? replica_path_ : shard_path_;
}

}  // namespace shardsim::cost
