// Megatron-LM's flags, in any of the shapes that people paste. Text is parsed, nothing is executed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/problems.hpp"
#include "sim/input/megatron/given.hpp"
#include "sim/input/settings.hpp"

namespace shardsim::input {

/// A launch script, an `arguments` dump, a line of flags, or a JSON/YAML map (bare or a row with "model_args").
/// `file` is the name for messages. Problems of the text (unresolved variables in flags that bear on performance,
/// values missing, binary data) go to `problems`; unknown and unmodelled flags become warnings of the result.
[[nodiscard]] Settings read_megatron(std::string_view raw, const std::string& file, Problems& problems);

/// The flags of the same text as they stand there, for a program that follows more of them than a prediction does.
/// Empty where read_megatron() finds a problem.
[[nodiscard]] std::vector<megatron::FlagUse> read_megatron_flags(std::string_view raw, const std::string& file);

}  // namespace shardsim::input
