// How many processes (GPUs) a launch command starts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/input/megatron/given.hpp"
#include "sim/input/megatron/shell_variables.hpp"

namespace shardsim::input::megatron {

/// What the #SBATCH lines of a script ask for; unset where they say nothing.
struct BatchRequest {
  std::optional<long long> nodes;
  std::optional<long long> gpus_per_node;
  std::optional<long long> tasks_per_node;
  std::optional<long long> tasks;
};

[[nodiscard]] BatchRequest read_batch_request(std::string_view script);

/// `launcher`: the words before the Python file. Nothing when the text does not tell; `why_not` then names what is
/// missing ("" when the launch says nothing of size at all).
[[nodiscard]] std::optional<LaunchSize> launch_size(const std::vector<Word>& launcher, const BatchRequest& request,
                                                    const ShellVariables& variables, std::string& why_not);

}  // namespace shardsim::input::megatron
