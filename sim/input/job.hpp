// A job whose layout is still to be chosen: what is trained, on what, with which batch.
#pragma once

#include <string_view>
#include <vector>

#include "sim/input/scenario_file.hpp"
#include "sim/input/settings.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::input {

/// Keys that say how a job is divided and what it recomputes, not what it is.
[[nodiscard]] bool is_layout_key(std::string_view key);

[[nodiscard]] Settings without_layout(const Settings& settings);

/// Resolves and checks all but the layout, whose keys are ignored: micro batches of one sequence on data-parallel ranks
/// stand for it, whether or not they divide the batch. Throws InputError as resolve() does; GPUs and global batch are
/// required.
[[nodiscard]] model::Scenario resolve_job(const Settings& settings, const std::vector<Preset>& known = presets());

}  // namespace shardsim::input
