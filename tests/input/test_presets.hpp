// Small presets with round numbers, so that tests do not move with the real ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/problems.hpp"
#include "sim/input/resolve.hpp"
#include "sim/input/scenario_file.hpp"

namespace shardsim::input::test {

/// Clusters a100-dgx (device a100) and v100-dgx2h (device v100); stacks megatron-core-te, megatron-2019 and
/// megatron-deepspeed and nanotron; models gpt3-175b and llama2-70b.
[[nodiscard]] const std::vector<Preset>& test_presets();

/// The resolved scenario of a TOML text; throws InputError as the program would.
[[nodiscard]] model::Scenario resolve_text(std::string_view text);

/// Every problem of a TOML text, reading and resolving together; empty when it is good.
[[nodiscard]] std::vector<Problem> problems_of(std::string_view text);

/// A small good run: 24 layers, hidden 1024, 16 heads, sequence 1024, micro batch 4.
inline constexpr std::string_view kSmallRun = R"(
[model]
num_layers = 24
hidden_size = 1024
num_attention_heads = 16
seq_length = 1024
[training]
micro_batch_size = 4
)";

}  // namespace shardsim::input::test
