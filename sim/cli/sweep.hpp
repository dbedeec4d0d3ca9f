// `shardsim sweep`: a prediction, or a plan, at every point of one or two ranges.
#pragma once

#include "sim/cli/command.hpp"

namespace shardsim::cli {

int run_sweep(const Arguments& arguments);

}  // namespace shardsim::cli
