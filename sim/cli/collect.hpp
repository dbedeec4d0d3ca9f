// Everything that the command line of `predict` names, as one set of settings.
#pragma once

#include "sim/base/problems.hpp"
#include "sim/cli/predict_options.hpp"
#include "sim/input/settings.hpp"

namespace shardsim::cli {

/// Later ones win: Hugging Face config, scenario, Megatron flags, DeepSpeed config, --model … --gpus, --set.
/// Two files that disagree about a value give a warning. Throws InputError when a file cannot be read at all;
/// mistakes inside the files go to `problems`.
[[nodiscard]] input::Settings collect_settings(const PredictOptions& options, Problems& problems);

}  // namespace shardsim::cli
