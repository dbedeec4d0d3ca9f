// Collectives as the trainer calls them, in groups of the ranks at hand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "calibrate/measure/bench.hpp"
#include "kernels/communicator/communicator.hpp"

namespace shardsim::calibrate {

/// This rank's group among equal groups that work side by side.
struct TimedGroup {
  std::unique_ptr<kernels::Communicator> communicator;
  std::int64_t ranks = 1;
  std::int64_t nodes = 1;
};

/// Neighbours: 2, 4, … and all ranks; over nodes also one rank of each node. Collective.
[[nodiscard]] std::vector<TimedGroup> make_timed_groups(kernels::Communicator& world, std::int64_t ranks_per_node);

/// Every kind in the group at each size; the group must outlive them. Results are whole numbers, and checked.
[[nodiscard]] std::vector<Case> collective_cases(TimedGroup& group, const std::vector<Bytes>& messages);

/// Runs of one size, the same everywhere.
[[nodiscard]] int collective_samples(Bytes bytes);

}  // namespace shardsim::calibrate
