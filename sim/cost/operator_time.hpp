// One operator of the list -> its undisturbed time on the device.
#pragma once

#include <array>
#include <cstddef>

#include "sim/cost/collective.hpp"
#include "sim/model/operators.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::cost {

inline constexpr std::size_t kGroups = static_cast<std::size_t>(model::Group::model) + 1;

constexpr std::size_t index_of(model::Group group) { return static_cast<std::size_t>(group); }

/// Nodes of a group over two: start-up between nodes is measured on two; a ring over more passes more of them.
[[nodiscard]] double start_factor(const model::GroupPlacement& placement);

/// Prices the operators of one scenario; places its groups once. The scenario must outlive it.
class Pricer {
 public:
  explicit Pricer(const model::Scenario& scenario);

  [[nodiscard]] Seconds time(const model::Operator& op) const;
  /// One message of `bytes` in the operator's group and kind; time() sends op.launches messages of equal size.
  [[nodiscard]] Seconds communication_time(const model::Operator& op, Bytes bytes) const;

 private:
  [[nodiscard]] Seconds memory_bound(const model::Operator& op) const;
  [[nodiscard]] const GroupPath& path_of(const model::Operator& op) const;

  const hardware::Device& device_;
  const model::Model& model_;
  double memory_bound_slowdown_;
  double attention_slowdown_;
  /// Time with as many devices of a node at work as the job has, over that of the full node.
  double matrix_neighbours_;
  double memory_neighbours_;
  double collective_slowdown_;
  Seconds start_between_nodes_;
  std::array<GroupPath, kGroups> paths_;
  /// Hybrid sharding: gathers and reduce-scatters stay inside an instance, all-reduces run between instances.
  bool hybrid_;
  GroupPath shard_path_;
  GroupPath replica_path_;
};

}  // namespace shardsim::cost
