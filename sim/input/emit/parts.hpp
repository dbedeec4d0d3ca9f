// What the writers of all frameworks share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/input/emit/emit.hpp"

namespace shardsim::input::emitting {

/// The setting `key` ("training.optimizer") of a scenario as text.
[[nodiscard]] std::string text_of(const model::Scenario& scenario, std::string_view key);

/// "# --set KEY=VALUE   (reason)" for one setting that cannot be said otherwise.
[[nodiscard]] std::string not_said(const model::Scenario& scenario, std::string_view key, const std::string& reason);

/// Name, model, GPUs, cluster and stack in one comment line.
[[nodiscard]] std::string headline(const model::Scenario& scenario);

/// Processes of a job on equal nodes.
struct Nodes {
  std::int64_t nodes = 1;
  std::int64_t per_node = 1;
};
/// The cluster's nodes, or the largest equal parts of them where the GPUs do not fill whole nodes.
[[nodiscard]] Nodes nodes_of(const model::Scenario& scenario);

[[nodiscard]] std::string emit_megatron(const model::Scenario& scenario, const SamePrediction& same);
[[nodiscard]] std::string emit_megatron_deepspeed(const model::Scenario& scenario, const SamePrediction& same);
[[nodiscard]] std::string emit_nemo(const model::Scenario& scenario);
[[nodiscard]] std::string emit_torchtitan(const model::Scenario& scenario);

}  // namespace shardsim::input::emitting
