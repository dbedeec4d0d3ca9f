// Configuration files of other frameworks, as settings.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/problems.hpp"
#include "sim/input/settings.hpp"

namespace shardsim::input {

/// A Hugging Face config.json of the gpt2, bert or llama family.
[[nodiscard]] Settings read_hf_config(std::string_view text, const std::string& file, Problems& problems);

/// A DeepSpeed configuration: ZeRO stage, buckets, offload, precision, batch sizes. "auto" and template
/// placeholders are named when nothing else gives the value.
[[nodiscard]] Settings read_deepspeed_config(std::string_view raw, const std::string& file, Problems& problems);

}  // namespace shardsim::input
