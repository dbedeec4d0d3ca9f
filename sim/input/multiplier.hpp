// "x2": a value given as a multiple of the one that it replaces, for what-ifs.
#pragma once

#include <optional>
#include <string_view>

#include "sim/base/problems.hpp"
#include "sim/input/settings.hpp"

namespace shardsim::input {

/// The factor of "x2", "x0.5"; nothing for text of another form.
[[nodiscard]] std::optional<double> multiplier_of(std::string_view value);

/// A setting whose value is a multiplier becomes that multiple of what `below` (presets, files) says of its key, or of
/// a hardware field's default. Where there is no number to multiply: a problem, and nothing is returned. All other
/// settings, text of names included, stay as they are.
[[nodiscard]] std::optional<Setting> multiplied(const Setting& setting, const Settings& below, Problems& problems);

}  // namespace shardsim::input
