// What a stage does once per iteration: gradient reduction, optimizer, parameter gather.
#pragma once

#include <vector>

#include "sim/engine/block_time.hpp"
#include "sim/model/layout.hpp"
#include "sim/schedule/bubble.hpp"

namespace shardsim::engine {

/// ZeRO stages from which gradients / parameters travel in every micro batch (Rajbhandari et al. 2020, section 7).
inline constexpr int kShardedGradients = 2;
inline constexpr int kShardedParameters = 3;

struct StepTime {
  /// Over the data-parallel group, not hidden behind this stage's compute.
  Seconds data_exposed{0.0};
  /// The tied word embedding's gradients, first and last stage.
  Seconds embedding{0.0};
  /// Gradient norm, clipping, update: device time.
  Seconds optimizer{0.0};
  /// The host's launches of the optimizer beyond its device time.
  Seconds host_wait{0.0};
  CommunicationByGroup communication;
};

/// Compute of one iteration that data-parallel communication may run beside.
struct HidingWindows {
  Seconds forward{0.0};
  Seconds backward{0.0};
};

/// Windows of a stage whose one micro batch takes `stage`. ZeRO-2/3 communicate in every micro batch and may hide
/// behind all of them; otherwise gradients are complete, and parameters awaited, in one micro batch only: reduction
/// hides behind the last backward, the gather behind the first forward. With v chunks the later chunks' gradients are
/// complete while g micro batches still pass the earlier ones: backward·(1/v + g·(v − 1)/v).
[[nodiscard]] HidingWindows hiding_windows(const model::Scenario& scenario, const schedule::StageTime& stage);

/// Messages that one data-parallel operator is cut into: per layer and micro batch under ZeRO-3, per micro batch under
/// ZeRO-2, else gradient buckets where the reduction overlaps.
[[nodiscard]] std::int64_t data_messages(const model::Scenario& scenario, const model::Stage& stage,
                                         const model::Operator& op);

/// `time` of the data-parallel operator in `messages`; the last (first, for a gather) message has nothing to hide
/// behind: exposed = exposed_time(time − message, window) + message.
[[nodiscard]] StepTime step_time(const model::Scenario& scenario, const cost::Pricer& pricer, const model::Stage& stage,
                                 const schedule::StageTime& stage_time);

}  // namespace shardsim::engine
