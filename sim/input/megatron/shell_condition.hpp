// Decides the conditions of shell scripts where the text alone can.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/input/megatron/given.hpp"

namespace shardsim::input::megatron {

/// [ … ], [[ … ]] or test …: -z, -n, =, ==, !=, -eq, -ne, -lt, -le, -gt, -ge, one word, !. Unset variables count as
/// empty. Nothing when it depends on anything else.
[[nodiscard]] std::optional<bool> decide_test(std::vector<Word> words);

/// Shell pattern with * and ? only; nothing when either side is not known or the pattern has other wildcards.
[[nodiscard]] std::optional<bool> matches_pattern(const Word& text, const Word& pattern);

}  // namespace shardsim::input::megatron
