// What both engines predict.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/memory/memory.hpp"
#include "sim/model/operators.hpp"
#include "sim/model/parameters.hpp"

namespace shardsim::engine {

/// A named, disjoint part of the iteration time.
struct TimeTerm {
  std::string_view name;
  Seconds time;
};

/// All communication of one kind of group during one iteration of the slowest stage.
struct GroupCommunication {
  model::Group group = model::Group::none;
  Seconds total;
  /// Not hidden behind compute.
  Seconds exposed;
  /// Full-tensor bytes, as nccl-tests counts them.
  Bytes bytes;
};

/// How long the lanes of ranks that do the same are busy in one iteration.
struct Utilisation {
  std::int64_t stage = 0;
  /// The first of `ranks` alike.
  std::int64_t first_rank = 0;
  std::int64_t ranks = 1;
  /// The compute stream alone: busy + idle = iteration.
  Seconds compute_busy;
  Seconds compute_idle;
  Seconds host_busy;
  Seconds tensor_busy;
  Seconds context_busy;
  Seconds pipeline_busy;
  Seconds data_busy;
};

/// The tensors of one rank of a stage through the played iteration, as PyTorch's caching allocator would place them.
struct MemoryInTime {
  std::int64_t stage = 0;
  /// During which the peak is reached, from the iteration's start on.
  Seconds peak_start;
  Seconds peak_end;
  /// "before the iteration", "forward", "backward", "input gradient", "weight gradient" or "optimizer step".
  std::string_view peak_action;
  /// Of that pass; -1 outside passes.
  std::int32_t micro_batch = -1;
  std::int32_t chunk = -1;
  Bytes peak_allocated;
  Bytes peak_reserved;
  /// Reserved over allocated at their peaks, minus one.
  double fragmentation = 0.0;
};

struct Prediction {
  Seconds iteration;
  /// 80 % interval.
  Seconds iteration_p10;
  Seconds iteration_p90;
  /// Sums to `iteration`.
  std::vector<TimeTerm> time;
  std::vector<GroupCommunication> communication;
  model::IterationFlops flops;
  double tokens_per_s = 0.0;
  FlopsPerSecond model_flops_per_gpu;
  FlopsPerSecond hardware_flops_per_gpu;
  /// On the peak of the matrix format used; full attention counted.
  double mfu = 0.0;
  double hfu = 0.0;
  memory::Memory memory;
  /// By stage; of the event engine only.
  std::vector<Utilisation> utilisation;
  /// By stage; of the event engine where it was asked for.
  std::vector<MemoryInTime> memory_in_time;
};

}  // namespace shardsim::engine
