// The single tensors and buffers that a job allocates, by size: what an out-of-memory message may have asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::validate::log {

/// Words of a traceback that speak for an allocation.
enum class Part { parameters, gradients, optimizer, forward, backward, loss, communication };

struct Allocation {
  /// "logits in fp32"
  std::string name;
  Bytes bytes;
  Part part = Part::forward;
};

/// Of all stages; no two of one name.
[[nodiscard]] std::vector<Allocation> allocations(const model::Scenario& scenario);

/// What PyTorch asks the device for (c10/cuda/CUDACachingAllocator.cpp, get_allocation_size): up to 1 MiB a block of
/// 2 MiB, below 10 MiB one of 20 MiB, else multiples of 2 MiB.
[[nodiscard]] Bytes block_size(Bytes bytes);

}  // namespace shardsim::validate::log
