// A scenario as what its framework runs: launch scripts and configuration files, complete.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/scenario.hpp"

namespace shardsim::input {

enum class Framework { megatron, megatron_deepspeed, nemo, torchtitan };

/// "megatron", "megatron-deepspeed", "nemo", "torchtitan"; nothing for other names.
[[nodiscard]] std::optional<Framework> framework_of(std::string_view name);
/// The names that framework_of() knows.
[[nodiscard]] std::vector<std::string> framework_names();

/// Whether two scenarios are predicted alike: what a framework cannot say is not worth a word where it changes nothing.
using SamePrediction = std::function<bool(const model::Scenario&, const model::Scenario&)>;

/// Text that can be run. What the framework cannot express stands in it as comments:
///   # --set training.optimizer=lamb   (no flag of megatron-core-te says it)
/// megatron, megatron_deepspeed: a launch script with the flags that the generation of the scenario's stack knows. With
/// the same cluster and stack, reading it (and applying the commented --set) gives the same prediction.
/// nemo: YAML of NeMo's megatron_gpt_pretraining.py. torchtitan: its TOML.
[[nodiscard]] std::string emit(Framework framework, const model::Scenario& scenario, const SamePrediction& same);

}  // namespace shardsim::input
