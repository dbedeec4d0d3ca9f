// Memory per pipeline stage, by component, at the moment of its peak.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "sim/memory/activations.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::memory {

/// One rank of a stage. The components sum to peak_allocated.
struct StageMemory {
  std::int64_t stage = 0;
  Bytes parameters;
  Bytes gradients;
  Bytes optimizer;
  Bytes activations;
  Bytes temporaries;
  Bytes logits;
  Bytes workspace;
  Bytes peak_allocated;
  /// What PyTorch's caching allocator holds at its peak.
  Bytes peak_reserved;
  /// What nvidia-smi shows: reserved + CUDA context + NCCL.
  Bytes device_used;
  /// When the peak occurs: "forward", "loss", "backward" or "optimizer step".
  std::string_view peak_moment;
};

struct Memory {
  std::vector<StageMemory> stages;
  std::int64_t worst_stage = 0;
  Bytes device_total;
  /// Of the worst stage.
  double out_of_memory_probability = 0.0;
  [[nodiscard]] const StageMemory& worst() const { return stages[static_cast<std::size_t>(worst_stage)]; }
  [[nodiscard]] bool fits() const { return out_of_memory_probability < 0.5; }
  [[nodiscard]] Bytes margin() const { return device_total - worst().device_used; }
};

[[nodiscard]] Memory predict_memory(const model::Scenario& scenario, const std::vector<model::Stage>& stages,
                                    const SavedBytes& saved);

/// Of the worst stage, as predict_memory() finds it, without the details.
[[nodiscard]] Bytes most_device_used(const model::Scenario& scenario, const std::vector<model::Stage>& stages,
                                     const SavedBytes& saved);

/// Device use that is too much, by whatever measure: more than that is too, less may not be.
using TooMuch = std::function<bool(Bytes device_used)>;

/// Whether most_device_used() is too much: cheaper, as bounds mostly tell.
[[nodiscard]] bool uses_too_much(const model::Scenario& scenario, const std::vector<model::Stage>& stages,
                                 const SavedBytes& saved, const TooMuch& too_much);

}  // namespace shardsim::memory
