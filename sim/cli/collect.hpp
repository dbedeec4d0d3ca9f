// Everything that the command line of `predict` or `train` names, as one set of settings, and the scenario it means.
#pragma once

#include "sim/base/problems.hpp"
#include "sim/cli/predict_options.hpp"
#include "sim/input/settings.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::cli {

/// Later ones win: Hugging Face config, scenario, Megatron flags, DeepSpeed config, --model … --gpus, flags on the
/// command line itself, --set.
/// Two files that disagree about a value give a warning. Throws InputError when a file cannot be read at all;
/// mistakes inside the files go to `problems`.
[[nodiscard]] input::Settings collect_settings(const ScenarioOptions& options, Problems& problems);

/// Resolves even settings that were read with problems, so that all mistakes are reported at once; what follows from
/// a value that was refused already is left out, and what a file that could not be read may have held. Throws
/// InputError.
[[nodiscard]] model::Scenario resolve_all(const input::Settings& settings, Problems& problems);

/// The same for a job without its layout (sim/input/job.hpp).
[[nodiscard]] model::Scenario resolve_job(const input::Settings& settings, Problems& problems);

/// Replaces a value; "x2" multiplies what `settings` says of the key, or else what its presets will.
void override_value(input::Settings& settings, input::Setting setting, Problems& problems);

}  // namespace shardsim::cli
