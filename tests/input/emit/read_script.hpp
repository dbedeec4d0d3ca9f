// A written script as the command line reads it.
#pragma once

#include <string>
#include <vector>

#include "sim/input/settings.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::tests {

/// Settings of a model, stack and cluster by their names.
[[nodiscard]] input::Settings presets_of(const std::string& model, const std::string& stack,
                                         const std::string& cluster);

/// "# --set KEY=VALUE   (reason)" lines.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> set_lines(const std::string& text);

/// What `predict --megatron - --stack S --cluster C --gpus N` with the script's own --set lines computes with; of a
/// script that writes a DeepSpeed configuration, that one as --deepspeed-config.
[[nodiscard]] model::Scenario read_script(const std::string& script, const std::string& stack,
                                          const std::string& cluster, std::int64_t gpus);

/// Equal in every number that a prediction shows.
[[nodiscard]] bool same_prediction(const model::Scenario& a, const model::Scenario& b);

}  // namespace shardsim::tests
