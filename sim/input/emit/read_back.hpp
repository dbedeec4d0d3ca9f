// What the simulator reads from a written script, held against the scenario that it was written for.
#pragma once

#include <string>
#include <vector>

#include "sim/model/scenario.hpp"

namespace shardsim::input::emitting {

/// A script, the DeepSpeed configuration that belongs to it (or nothing), and the settings that neither can say.
struct Written {
  std::string script;
  std::string deepspeed_config;
  std::vector<std::string> set_aside;
};

/// The scenario that the script means on the cluster and stack of `scenario`, with the scenario's own values of the
/// settings set aside.
[[nodiscard]] model::Scenario read_back(const Written& written, const model::Scenario& scenario);

/// Keys of model, parallelism, training and stack in which the two differ; names do not count.
[[nodiscard]] std::vector<std::string> differences(const model::Scenario& a, const model::Scenario& b);

/// `a` with b's value of one key.
[[nodiscard]] model::Scenario with_value_of(model::Scenario a, const model::Scenario& b, const std::string& key);

}  // namespace shardsim::input::emitting
