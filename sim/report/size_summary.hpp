// What table, JSON and CSV of a size report share.
#pragma once

#include "sim/report/size_report.hpp"

namespace shardsim::report {

/// meets, misses, does_not_fit or unsuitable.
[[nodiscard]] std::string_view status_of(const SizedCluster& sized);

/// The point to look at: the cheapest that meets the goal, or the nearest; nullptr where nothing fits.
[[nodiscard]] const plan::SizePoint* notable_point(const SizedCluster& sized);

}  // namespace shardsim::report
