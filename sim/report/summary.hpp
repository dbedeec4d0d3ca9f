// What several reports say about a prediction, computed once.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "sim/engine/prediction.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::report {

/// A part of a stage's memory at its peak.
struct Component {
  std::string_view name;
  Bytes bytes;
};
inline constexpr std::size_t kComponents = 7;

/// In a fixed order; they sum to peak_allocated.
[[nodiscard]] std::array<Component, kComponents> components(const memory::StageMemory& stage);
/// The components that are not empty, largest first.
[[nodiscard]] std::vector<Component> biggest_components(const memory::StageMemory& stage);

[[nodiscard]] std::string_view group_name(model::Group group);

/// Parameters, gradients and optimizer state of the worst stage's rank over the parameters that it computes with.
[[nodiscard]] double bytes_per_parameter(const model::Scenario& scenario, const memory::Memory& memory);

/// Peak of the matrix format that the job trains in.
[[nodiscard]] FlopsPerSecond matrix_peak(const model::Scenario& scenario);

/// MFU that counts only the unmasked half of causal attention.
[[nodiscard]] double causal_mfu(const engine::Prediction& prediction);

/// The stages worth a line of a table, without repetition: worst, first, middle, last.
struct NotableStage {
  std::string_view name;
  const memory::StageMemory* stage = nullptr;
};
[[nodiscard]] std::vector<NotableStage> notable_stages(const memory::Memory& memory);

}  // namespace shardsim::report
