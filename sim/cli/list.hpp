// `shardsim list`: the presets, one line each.
#pragma once

#include "sim/cli/command.hpp"

namespace shardsim::cli {

int run_list(const Arguments& arguments);

}  // namespace shardsim::cli
