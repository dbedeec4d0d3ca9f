// A refined profile as a file.
#pragma once

#include <string>

#include "sim/model/scenario.hpp"
#include "validate/log/fit.hpp"

namespace shardsim::validate::log {

/// TOML with [cluster], [device] and [stack]: the presets of `start`, and every value in which `start` with the fit's
/// constants differs from them.
[[nodiscard]] std::string profile_toml(const model::Scenario& start, const Fit& fit);

}  // namespace shardsim::validate::log
