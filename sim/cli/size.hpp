// `shardsim size`: which cluster a job needs; the largest job for a cluster.
#pragma once

#include "sim/cli/command.hpp"

namespace shardsim::cli {

int run_size(const Arguments& arguments);

}  // namespace shardsim::cli
