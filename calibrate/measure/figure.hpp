// Measured points and the curves fitted to them, as SVG.
#pragma once

#include <string>

#include "calibrate/measure/fit_local.hpp"

namespace shardsim::calibrate {

[[nodiscard]] std::string figure(const LocalSamples& samples, const LocalProfile& profile);

}  // namespace shardsim::calibrate
